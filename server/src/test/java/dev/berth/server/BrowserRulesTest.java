package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Web pages must not get at Berth through a browser on the same machine. */
class BrowserRulesTest {

    private static final List<String> VERBS =
            List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW");

    private static Premises premises;

    @BeforeAll
    static void open() throws Exception {
        premises = Premises.open();
    }

    @AfterAll
    static void close() throws Exception {
        premises.close();
    }

    private static int status(String verb, String... headers) {
        var body = Premises.cpuTask("forged").getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return premises.tcp().send(verb, "/api/tasks", List.of(headers), body).status();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "127.0.0.1",
                "[::1]",
                "localhost:29214",
                "LOCALHOST:1",
                "[::1]:29214"
            })
    void ownNamesAreFine(String host) {
        assertThat(status("GET", "Host: " + host)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "127.0.0.1.evil.example",
                "localhost.evil",
                "10.0.0.1:29214",
                "localhost@evil",
                "-"
            })
    void aForeignHostIsRefusedOnEveryVerbAndRoute(String host) {
        for (var verb : VERBS) {
            assertThat(status(verb, "Host: " + host)).as(verb).isIn(400, 403);
        }
        assertThat(premises.tcp().get("/api/health", "Host: " + host).status()).isIn(400, 403);
        assertThat(premises.tasks()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.example",
                "null",
                "http://localhost:1895",
                "https://localhost:29214",
                "http://127.0.0.1:29214",
                ""
            })
    void aForeignOriginIsRefusedOnEveryVerb(String origin) {
        for (var verb : VERBS) {
            assertThat(status(verb, "Host: localhost:29214", "Origin: " + origin))
                    .as(verb)
                    .isEqualTo(403);
        }
        assertThat(premises.tasks()).isZero();
    }

    @Test
    void theSameOriginIsFine() {
        assertThat(status("GET", "Host: localhost:29214", "Origin: http://localhost:29214"))
                .isEqualTo(200);
    }

    @Test
    void aRequestFromAnotherSiteIsRefused() {
        for (var verb : VERBS) {
            for (var site : List.of("cross-site", "same-site", "nonsense")) {
                assertThat(status(verb, "Sec-Fetch-Site: " + site)).as(verb).isEqualTo(403);
            }
        }
        assertThat(status("POST", "Sec-Fetch-Site: none")).isEqualTo(403);
        assertThat(premises.tasks()).isZero();
    }

    @Test
    void openingAnAddressByHandIsFine() {
        assertThat(status("GET", "Sec-Fetch-Site: none")).isEqualTo(200);
        assertThat(status("GET", "Sec-Fetch-Site: same-origin")).isEqualTo(200);
    }

    @Test
    void nothingIsEverAllowedAcrossOrigins() {
        var reply = premises.tcp().get("/api/health", "Origin: http://evil.example");
        assertThat(reply.status()).isEqualTo(403);
        assertThat(reply.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
    }
}

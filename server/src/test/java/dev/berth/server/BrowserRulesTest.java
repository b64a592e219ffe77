package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Web pages must not reach Berth through a browser on the same machine. */
class BrowserRulesTest {

    private static final List<String> VERBS =
            List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW");

    private static TestServer server;

    @BeforeAll
    static void open() throws Exception {
        server = TestServer.open();
    }

    @AfterAll
    static void close() throws Exception {
        server.close();
    }

    private static int status(String method, String... headers) {
        var body = TestServer.cpuTask("forged").getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return server.tcp().send(method, "/api/tasks", List.of(headers), body).status();
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
        for (var method : VERBS) {
            assertThat(status(method, "Host: " + host)).as(method).isIn(400, 403);
        }
        assertThat(server.tcp().get("/api/health", "Host: " + host).status()).isIn(400, 403);
        assertThat(server.tasks()).isZero();
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
        for (var method : VERBS) {
            assertThat(status(method, "Host: localhost:29214", "Origin: " + origin))
                    .as(method)
                    .isEqualTo(403);
        }
        assertThat(server.tasks()).isZero();
    }

    @Test
    void sameOriginIsAccepted() {
        assertThat(status("GET", "Host: localhost:29214", "Origin: http://localhost:29214"))
                .isEqualTo(200);
    }

    @Test
    void crossSiteRequestIsRejected() {
        for (var method : VERBS) {
            for (var site : List.of("cross-site", "same-site", "nonsense")) {
                assertThat(status(method, "Sec-Fetch-Site: " + site)).as(method).isEqualTo(403);
            }
        }
        assertThat(status("POST", "Sec-Fetch-Site: none")).isEqualTo(403);
        assertThat(server.tasks()).isZero();
    }

    @Test
    void typedAddressIsAccepted() {
        assertThat(status("GET", "Sec-Fetch-Site: none")).isEqualTo(200);
        assertThat(status("GET", "Sec-Fetch-Site: same-origin")).isEqualTo(200);
    }

    @Test
    void sendsNoCorsHeadersByDefault() {
        var reply = server.tcp().get("/api/health", "Origin: http://evil.example");
        assertThat(reply.status()).isEqualTo(403);
        assertThat(reply.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
    }
}

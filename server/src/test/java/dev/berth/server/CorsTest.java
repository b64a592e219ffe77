package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.http.limit.UserLimits;
import dev.berth.identity.AuthMode;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Pages of an allowed origin and of all others. */
class CorsTest {

    private static final String NAMED = "Origin: http://localhost:1895";
    private static final String OTHER = "Origin: http://localhost:1896";

    private TestServer server;
    private String token;

    @BeforeEach
    void open() throws Exception {
        open(AuthMode.TOKEN);
    }

    private void open(AuthMode auth) throws Exception {
        server = TestServer.open(home -> settings(home, auth), HttpServer.Timeouts.DEFAULT);
        token = "Authorization: Bearer " + server.token();
    }

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private static HttpSettings settings(Path home, AuthMode auth) {
        return new HttpSettings(
                home,
                Path.of("/tmp"),
                "127.0.0.1",
                0,
                false,
                auth,
                Optional.empty(),
                Set.of("http://localhost:1895"),
                Optional.empty(),
                false,
                UserLimits.DEFAULT);
    }

    private TestHttpClient.Reply preflight(String origin) {
        return server.tcp()
                .send(
                        "OPTIONS",
                        "/api/tasks",
                        List.of(
                                origin,
                                "Access-Control-Request-Method: POST",
                                "Sec-Fetch-Site: same-site"),
                        new byte[0]);
    }

    private TestHttpClient.Reply submit(String... headers) {
        var body = TestServer.cpuTask("from elsewhere").getBytes(StandardCharsets.UTF_8);
        return server.tcp().send("POST", "/api/tasks", List.of(headers), body);
    }

    @Test
    void allowedOriginIsServedWithAToken() {
        var preflight = preflight(NAMED);
        assertThat(preflight.status()).isEqualTo(204);
        assertThat(preflight.header("Access-Control-Allow-Origin"))
                .contains("http://localhost:1895");
        assertThat(preflight.header("Access-Control-Allow-Methods").orElseThrow())
                .contains("POST", "DELETE");
        assertThat(preflight.header("Access-Control-Allow-Headers").orElseThrow())
                .contains("Authorization");
        assertThat(preflight.header("Access-Control-Allow-Credentials")).isEmpty();

        var reply = submit(NAMED, token, "Sec-Fetch-Site: same-site");
        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.header("Access-Control-Allow-Origin")).contains("http://localhost:1895");
        assertThat(reply.header("Vary")).contains("Origin");
    }

    @Test
    void allowedOriginCannotUseTheCookie() {
        assertThat(submit(NAMED, server.cookie()).status()).isEqualTo(401);
        assertThat(server.tasks()).isZero();
    }

    @Test
    void allowedOriginNeedsATokenEvenWithAuthNone() throws Exception {
        server.close();
        open(AuthMode.NONE);
        assertThat(submit("Sec-Fetch-Site: same-origin").status()).isEqualTo(201);
        var reply = submit(NAMED, "Sec-Fetch-Site: same-site");
        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.code()).isEqualTo("caller.unknown");
        assertThat(server.tasks()).isEqualTo(1);
        assertThat(submit(NAMED, token).status()).isEqualTo(201);
    }

    @Test
    void otherOriginsAreRejectedEvenWithoutPreflight() {
        var preflight = preflight(OTHER);
        assertThat(preflight.status()).isEqualTo(403);
        var reply = submit(OTHER, token);
        assertThat(reply.status()).isEqualTo(403);
        for (var one : List.of(preflight, reply)) {
            assertThat(one.headers().keySet()).noneMatch(name -> name.startsWith("access-control"));
        }
        assertThat(server.tasks()).isZero();
    }
}

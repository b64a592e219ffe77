package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.http.limit.UserLimits;
import dev.berth.identity.AuthMode;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A client that sends its whole body first still gets the refusal. */
class RefusedBodyTest {

    @ParameterizedTest
    @ValueSource(ints = {1 << 20, 50 << 20})
    void everyRefusalReachesTheClient(int size) throws Exception {
        var body = new byte[size];
        try (var server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT)) {
            assertStatus(server.tcp(), "POST", "/api/tasks", body, 401);
            assertStatus(server.tcp(), "POST", "/api/tasks", body, 403, "Host: evil.example");
            assertStatus(server.tcp(), "PUT", "/api/rule", body, 401);
            var client = server.socket();
            assertStatus(client, "POST", "/nothing", body, 404);
            assertStatus(client, "BREW", "/api/tasks", body, 405);
            assertStatus(client, "POST", "/api/tasks", body, size > 4 << 20 ? 413 : 400);
        }
    }

    @Test
    void aRateLimitIsAnsweredToo() throws Exception {
        try (var server =
                TestServer.open(RefusedBodyTest::oneRequest, HttpServer.Timeouts.DEFAULT)) {
            assertThat(server.socket().get("/api/tasks").status()).isEqualTo(200);
            assertStatus(server.socket(), "POST", "/api/tasks", new byte[50 << 20], 429);
        }
    }

    @Test
    void aChunkedBodyIsReadToItsEnd() throws Exception {
        try (var server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT)) {
            var request =
                    "POST /api/tasks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                            + "Transfer-Encoding: chunked\r\n\r\n2000000\r\n"
                            + "x".repeat(32 << 20)
                            + "\r\n0\r\n\r\n";
            var reply = server.tcp().raw(request.getBytes(StandardCharsets.ISO_8859_1));
            assertThat(TestHttpClient.parse(reply).status()).isEqualTo(401);
        }
    }

    private static HttpSettings oneRequest(Path home) {
        return new HttpSettings(
                home,
                Path.of("/tmp"),
                "127.0.0.1",
                0,
                false,
                AuthMode.NONE,
                Optional.empty(),
                Set.of(),
                Optional.empty(),
                false,
                new UserLimits(1, 1, 9, 9));
    }

    private static void assertStatus(
            TestHttpClient client,
            String method,
            String path,
            byte[] body,
            int status,
            String... headers) {
        var reply = client.send(method, path, List.of(headers), body);
        assertThat(reply.status()).as(method + " " + path).isEqualTo(status);
        assertThat(reply.json().path("detail").asString()).isNotEmpty();
    }
}

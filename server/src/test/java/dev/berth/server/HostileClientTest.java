package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.identity.AuthMode;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Malicious and broken clients. */
class HostileClientTest {

    private static final HttpServer.Timeouts SHORT =
            new HttpServer.Timeouts(
                    Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(1));

    private static String lines(String... lines) {
        return String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n";
    }

    private static TestHttpClient.Reply raw(TestServer server, String request) {
        return TestHttpClient.parse(
                server.tcp().raw(request.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @Test
    void slowHeadersAreDisconnected() throws Exception {
        try (var server = TestServer.open(AuthMode.NONE, SHORT)) {
            var slow = new ArrayList<Socket>();
            for (int i = 0; i < 50; i++) {
                slow.add(connect(server));
            }
            long start = System.nanoTime();
            boolean open = true;
            while (open && System.nanoTime() - start < 30_000_000_000L) {
                assertThat(server.tcp().get("/api/health").status()).isEqualTo(200);
                open = false;
                for (var socket : slow) {
                    open |= sendSlowly(socket);
                }
            }
            assertThat(open).as("still connected after 30 s").isFalse();
            for (var socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void slowHeadersOfALaterRequestAreDisconnected() throws Exception {
        try (var server = TestServer.open(AuthMode.NONE, SHORT);
                var socket = connect(server)) {
            socket.setSoTimeout(15_000);
            socket.getOutputStream()
                    .write("\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            var answer = new byte[12];
            assertThat(socket.getInputStream().readNBytes(answer, 0, 12)).isEqualTo(12);
            assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
            socket.getOutputStream()
                    .write("GET /api/health HTTP/1.1\r\nX: ".getBytes(StandardCharsets.US_ASCII));
            eventually("it is cut off", () -> !sendSlowly(socket));
        }
    }

    @Test
    void occasionallyUsedConnectionIsKept() throws Exception {
        var patience =
                new HttpServer.Timeouts(
                        Duration.ofMillis(200), Duration.ofSeconds(30), Duration.ofSeconds(1));
        try (var server = TestServer.open(AuthMode.NONE, patience);
                var socket = connect(server)) {
            socket.setSoTimeout(15_000);
            var rest = "\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            socket.getOutputStream().write(rest);
            long task = server.submit(TestServer.cpuTask("long"));
            // Several times the deadline, during and between requests.
            assertThat(server.socket().get("/api/tasks/" + task + "/wait?seconds=1").status())
                    .isEqualTo(200);
            var wait = "GET /api/tasks/" + task + "/wait?seconds=1 HTTP/1.1";
            socket.getOutputStream().write(wait.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream()
                    .write("\r\nConnection: close".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(rest);
            var said = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(said.split("HTTP/1.1 200", -1)).hasSize(3);
        }
    }

    private static Socket connect(TestServer server) throws IOException {
        var socket =
                new Socket(
                        InetAddress.getLoopbackAddress(), URI.create(server.door.url()).getPort());
        socket.getOutputStream()
                .write("GET /api/health HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        return socket;
    }

    private static boolean sendSlowly(Socket socket) {
        try {
            socket.getOutputStream().write('x');
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    @Test
    void idleConnectionIsClosed() throws Exception {
        try (var server = TestServer.open(AuthMode.NONE, SHORT);
                var socket = connect(server)) {
            socket.setSoTimeout(15_000);
            // Nothing, or a rejection and then nothing: but the connection ends.
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .doesNotContain("200 OK");
        }
    }

    @Test
    void waitingRequestIsNotIdle() throws Exception {
        try (var server = TestServer.open(AuthMode.NONE, SHORT)) {
            long task = server.submit(TestServer.cpuTask("long"));
            var reply = server.socket().get("/api/tasks/" + task + "/wait?seconds=2");
            assertThat(reply.status()).isEqualTo(200);
            assertThat(reply.json().get("status").asString()).isEqualTo("running");
        }
    }

    @Test
    void missingBodyTimesOut() throws Exception {
        try (var server = TestServer.open(AuthMode.NONE, SHORT)) {
            var request =
                    lines("POST /api/tasks HTTP/1.1", "Host: localhost", "Content-Length: 100")
                            + "{";
            var reply = raw(server, request);
            assertThat(reply.status()).isBetween(400, 499);
            assertThat(server.tasks()).isZero();
        }
    }

    @Test
    void tooLargeHeadersAreRejected() throws Exception {
        try (var server = TestServer.open()) {
            var reply =
                    raw(
                            server,
                            "GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Big: "
                                    + "x".repeat(32 << 10)
                                    + "\r\n\r\n");
            assertThat(reply.status()).isEqualTo(431);
            assertThat(reply.code()).isEqualTo("http.unreadable");
            var uri =
                    raw(
                            server,
                            "GET /api/tasks?status="
                                    + "x".repeat(32 << 10)
                                    + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(uri.status()).isBetween(400, 431);
            assertThat(uri.json().get("detail").asString()).isNotBlank();
        }
    }

    @Test
    void nonHttpIsRejected() throws Exception {
        try (var server = TestServer.open(AuthMode.NONE, SHORT)) {
            for (var request :
                    List.of(
                            lines("\0\0\0\0"),
                            lines("GET"),
                            lines("OPTIONS * HTTP/1.1", "Host: localhost"),
                            lines("CONNECT localhost:80 HTTP/1.1", "Host: localhost:80"),
                            lines("GET ?status=queued HTTP/1.1", "Host: localhost"),
                            lines("GET #x HTTP/1.1", "Host: localhost"),
                            lines("GET api/tasks HTTP/1.1", "Host: localhost"),
                            lines("GET /api/tasks HTTP/1.0"),
                            lines("GET /api/health HTTP/9.9", "Host: localhost"),
                            lines("GET /api/health HTTP/1.1"),
                            lines("GET /api/health HTTP/1.1", "Host: localhost", "Host: evil"),
                            lines("GET http://evil.example/api/health HTTP/1.1", "Host: localhost"),
                            lines(
                                    "POST /api/tasks HTTP/1.1",
                                    "Host: localhost",
                                    "Content-Length: x"),
                            lines(
                                    "POST /api/tasks HTTP/1.1",
                                    "Host: localhost",
                                    "Content-Length: 5",
                                    "Content-Length: 6"),
                            lines(
                                    "POST /api/tasks HTTP/1.1",
                                    "Host: localhost",
                                    "Content-Length: 5",
                                    "Transfer-Encoding: chunked"))) {
                var reply = raw(server, request);
                assertThat(reply.status()).as(request + " gave " + reply).isBetween(400, 505);
                assertThat(reply.status()).as(request).isNotEqualTo(500);
            }
            assertThat(server.tasks()).isZero();
        }
    }
}

package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Clients that repeat refused requests do not push earlier lines out of the server's logs. */
@ExtendWith(ServerHarnessExtension.class)
final class RefusedRequestsTest {

    private static final int BATCH = 500;

    /** After these the server keeps the connection open. */
    private static final List<String> REFUSED =
            List.of(
                    request("GET /api/tasks", ""),
                    request("GET /api/tasks", "Authorization: Bearer berth_wrong\r\n"),
                    request("GET /api/tasks", "Authorization: Basic YTpi\r\n"),
                    request("POST /api/tasks", "Content-Length: 2\r\n") + "{}",
                    request(
                            "PUT /api/rule",
                            "Origin: http://evil.example\r\nContent-Length: 0\r\n"),
                    request("GET /api/me", "Sec-Fetch-Site: cross-site\r\n"),
                    request("GET /nothing/here", ""),
                    request("BREW /coffee", ""),
                    request("GET /login/wrong", ""),
                    request("GET /api/me", "Cookie: berth_session_1=wrong\r\n"));

    /** After these the server closes the connection. */
    private static final List<String> UNREADABLE =
            List.of(
                    "garbage\r\n\r\n",
                    "GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    request("GET /api/me", "X-Long: " + "a".repeat(20_000) + "\r\n"),
                    "GET /api/me HTTP/1.1\r\n\r\n",
                    "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n");

    private static String request(String line, String headers) {
        return line + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
    }

    @Test
    void refusedRequestsAddAHandfulOfLines(ServerHarness harness) throws IOException {
        harness.options("--gpus", "sim:1x1024").start();
        long id = harness.socket().submit(TaskBuilder.cpu("true"));
        harness.socket().awaitEnd(id);
        var port = URI.create(harness.url()).getPort();
        var logs =
                List.of(
                        harness.home().resolve("logs/berth.log"),
                        harness.home().resolve("logs/audit.log"),
                        harness.home().resolve("control/logs/console.log"));
        var before = logs.stream().mapToLong(RefusedRequestsTest::lines).toArray();
        long stderrBefore = harness.server().stderr().lines().count();

        for (var refused : REFUSED) {
            sendRepeatedly(port, refused, 2_000);
        }
        for (var unreadable : UNREADABLE) {
            for (int time = 0; time < 50; time++) {
                sendAlone(port, unreadable);
            }
        }

        for (int log = 0; log < before.length; log++) {
            assertThat(lines(logs.get(log)) - before[log])
                    .as(logs.get(log).toString())
                    .isLessThan(60);
        }
        assertThat(harness.server().stderr().lines().count() - stderrBefore).isLessThan(60);
        assertThat(logs.get(0)).content().contains("starting version=");
        assertThat(logs.get(1)).content().contains("POST /api/tasks 201");

        harness.server().stop();
        assertThat(countedRefusals(logs.get(1))).isGreaterThan(10_000);
    }

    private static void sendRepeatedly(int port, String request, int times) throws IOException {
        try (var socket = new Socket("127.0.0.1", port)) {
            var batch = request.repeat(BATCH).getBytes(ISO_8859_1);
            var answers =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
            for (int sent = 0; sent < times; sent += BATCH) {
                socket.getOutputStream().write(batch);
                for (int answered = 0; answered < BATCH; answered++) {
                    awaitStatusLine(answers);
                }
            }
        }
    }

    /** Bodies are one line each, so every status line begins a line. */
    private static void awaitStatusLine(BufferedReader answers) throws IOException {
        for (var line = answers.readLine(); line != null; line = answers.readLine()) {
            if (line.startsWith("HTTP/1.1 ")) {
                return;
            }
        }
        throw new IOException("the server closed the connection");
    }

    private static void sendAlone(int port, String request) throws IOException {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            socket.shutdownOutput();
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }
    }

    private static long lines(Path log) {
        try (var lines = Files.lines(log)) {
            return lines.count();
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + log, e);
        }
    }

    /** The sum of all {@code more=} in an audit log. */
    private static long countedRefusals(Path audit) throws IOException {
        try (var lines = Files.lines(audit)) {
            return lines.filter(line -> line.contains(" more="))
                    .mapToLong(line -> Long.parseLong(line.replaceFirst(".* more=", "")))
                    .sum();
        }
    }
}

package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A known secret is searched in all places where it must not appear. */
@ExtendWith(ServerHarnessExtension.class)
final class SecretsTest {

    private static String berth(ServerHarness harness, String... words) throws Exception {
        var arguments = new ArrayList<>(List.of(words));
        arguments.addAll(List.of("--home", harness.home().toString()));
        var process =
                new ProcessBuilder(ProgramUnderTest.command(arguments))
                        .redirectErrorStream(false)
                        .start();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out.strip();
    }

    private static Map<String, String> bearer(String token) {
        return Map.of("Authorization", "Bearer " + token);
    }

    private static int status(TestClient client, String path, Map<String, String> headers) {
        return client.send(new TestClient.TestRequest("GET", path, headers, "")).status();
    }

    @Test
    void aTokenIsFoundInNoLogNoArgumentAndNoColumn(ServerHarness harness) throws Exception {
        var tcp = harness.options("--gpus", "sim:1x1024").start().client();
        var token = berth(harness, "token", "create", "planted");
        assertThat(token).matches("berth_[A-Za-z0-9_-]{43}");
        var link = berth(harness, "login", "--print");
        var code = link.replaceFirst(".*/", "");
        var cookie = logIn(link);

        assertThat(status(tcp, "/api/me", bearer(token))).isEqualTo(200);
        // Also sent to routes that do not expect it.
        assertThat(status(tcp, "/api/me", Map.of("Authorization", "Basic " + token)))
                .isEqualTo(401);
        assertThat(status(tcp, "/login/" + token, Map.of())).isEqualTo(403);
        assertThat(status(tcp, "/api/tasks?status=" + token, bearer(token))).isEqualTo(422);
        assertThat(status(tcp, "/" + token, Map.of())).isEqualTo(401);
        var task = harness.socket();
        long id = task.submit(TaskBuilder.cpu("env; cat /proc/$PPID/cmdline"));
        task.awaitEnd(id);

        for (var secret : List.of(token.substring("berth_".length()), code, cookie)) {
            assertNowhere(secret, harness);
        }
        harness.server().stop();
        for (var secret : List.of(token.substring("berth_".length()), code, cookie)) {
            assertNowhere(secret, harness);
        }
        assertThat(columns(harness)).doesNotContain(token.substring("berth_".length()), cookie);
        assertThat(Files.readString(harness.home().resolve("logs/audit.log")))
                .contains("POST /api/tokens 201", "GET /login/{code} 303", "GET /login/{code} 403");
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(
                                        harness.home().resolve("logs/audit.log"))))
                .isEqualTo("rw-------");
    }

    /** What the browser stores. */
    private static String logIn(String link) throws IOException, InterruptedException {
        var answer =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create(link)).build(),
                                BodyHandlers.discarding());
        assertThat(answer.statusCode()).isEqualTo(303);
        return answer.headers()
                .firstValue("Set-Cookie")
                .orElseThrow()
                .replaceFirst("^[^=]*=([^;]*);.*", "$1");
    }

    private static void assertNowhere(String secret, ServerHarness harness) throws IOException {
        try (var files = Files.walk(harness.home().getParent())) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var text = Files.readString(file, StandardCharsets.ISO_8859_1);
                assertThat(text.contains(secret)).as(file.toString()).isFalse();
            }
        }
        for (var name : List.of("cmdline", "environ")) {
            try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
                for (var process : processes) {
                    assertThat(read(process.resolve(name)).contains(secret))
                            .as(process + "/" + name)
                            .isFalse();
                }
            }
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException _) {
            // The process has ended or belongs to another user.
            return "";
        }
    }

    /** Every value of every table. */
    private static String columns(ServerHarness harness) throws Exception {
        var all = new StringBuilder();
        var file = harness.home().resolve("runtime/tasks.db");
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var names = connection.createStatement();
                var tables =
                        names.executeQuery("SELECT name FROM sqlite_master WHERE type='table'")) {
            while (tables.next()) {
                try (var rows =
                        connection
                                .createStatement()
                                .executeQuery("SELECT * FROM " + tables.getString(1))) {
                    while (rows.next()) {
                        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                            all.append(rows.getString(i)).append('\n');
                        }
                    }
                }
            }
        }
        assertThat(all).contains("planted");
        return all.toString();
    }

    @Test
    void anAddressThatOthersReachIsRefused(ServerHarness harness) {
        var server = harness.options("--gpus", "none", "--host", "0.0.0.0").launch();
        assertThat(server.awaitEnd()).isNotZero();
        assertThat(server.stdout()).isEmpty();
        assertThat(server.stderr()).contains("0.0.0.0", "TLS", "behind_proxy");
        assertThat(harness.home().resolve("runtime")).doesNotExist();
    }

    @Test
    void anotherUserOfTheMachineGetsNothing(ServerHarness harness) throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "needs root");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "needs curl");
        for (var auth : List.of("none", "token")) {
            var api = harness.options("--gpus", "none", "--auth", auth).start();
            var url = ((TcpTestClient) api.client()).url();
            harness.socket().submit(TaskBuilder.cpu("true").named("mark-of-the-inside"));
            var said =
                    asNobody(
                            "curl -s %s/api/tasks; curl -s -X POST %s/api/tasks -d '%s';"
                                            .formatted(url, url, TaskBuilder.cpu("true").body())
                                    + " curl -s --unix-socket %s/berth.sock http://x/api/tasks;"
                                            .formatted(harness.home())
                                    + " cat %s/logs/audit.log".formatted(harness.home()));
            assertThat(said).contains("\"code\":").doesNotContain("mark-of-the-inside", "who=");
            assertThat(harness.socket().tasks()).hasSize(auth.equals("none") ? 1 : 2);
            harness.server().stop();
        }
    }

    private static String asNobody(String script) throws Exception {
        var process =
                new ProcessBuilder(
                                "/usr/bin/setpriv",
                                "--reuid=65534",
                                "--regid=65534",
                                "--clear-groups",
                                "bash",
                                "-c",
                                script)
                        .directory(Path.of("/").toFile())
                        .redirectErrorStream(true)
                        .start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }
}

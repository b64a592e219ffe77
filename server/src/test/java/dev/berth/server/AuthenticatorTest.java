package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.identity.AuthMode;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** Who is served on the socket and on the port, and how others are rejected. */
class AuthenticatorTest {

    private static final String NOBODY = "65534";

    /** Runs a shell as another user; only root can. */
    private static String asNobody(String script) throws Exception {
        assumeTrue(ProcessHandle.current().info().user().orElse("").equals("root"), "needs root");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "needs setpriv");
        var command =
                new ArrayList<>(
                        List.of(
                                "/usr/bin/setpriv",
                                "--reuid=" + NOBODY,
                                "--regid=" + NOBODY,
                                "--clear-groups"));
        command.addAll(List.of("bash", "-c", script));
        var process =
                new ProcessBuilder(command)
                        .directory(Path.of("/").toFile())
                        .redirectErrorStream(true)
                        .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    private static String user() {
        return System.getProperty("user.name");
    }

    @Test
    void socketCallerIsNamedByTheKernel() throws Exception {
        try (var server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT)) {
            var reply =
                    server.socket()
                            .post(
                                    "/api/tasks",
                                    TestServer.cpuTask("mine"),
                                    "X-Forwarded-User: alice",
                                    "X-Berth-User: alice",
                                    "Authorization: Bearer alice");
            assertThat(reply.json().get("owner").asString()).isEqualTo(user());
        }
    }

    @Test
    void portWithoutTokenServesOnlyHealth() throws Exception {
        try (var server = TestServer.open(AuthMode.TOKEN, HttpServer.Timeouts.DEFAULT)) {
            assertThat(server.tcp().get("/api/health").status()).isEqualTo(200);
            for (var path :
                    List.of(
                            "/api/tasks",
                            "/api/gpus",
                            "/api/server",
                            "/api/openapi.json",
                            "/nowhere")) {
                var reply = server.tcp().get(path);
                assertThat(reply.status()).as(path).isEqualTo(401);
                assertThat(reply.header("WWW-Authenticate")).isPresent();
                assertThat(reply.json().get("detail").asString())
                        .contains("--auth none", "berth login", "berth token create")
                        .doesNotContain(server.home.toString());
            }
            assertThat(server.tcp().post("/api/tasks", TestServer.cpuTask("x")).status())
                    .isEqualTo(401);
            assertThat(server.tasks()).isZero();
        }
    }

    @Test
    void withAuthNoneTheCallerIsTheServersUser() throws Exception {
        try (var server = TestServer.open()) {
            var reply =
                    server.tcp()
                            .post("/api/tasks", TestServer.cpuTask("mine"), "X-Remote-User: alice");
            assertThat(reply.json().get("owner").asString()).isEqualTo(user());
        }
    }

    @Test
    void otherUserOnThePortIsRejectedWithTheReason() throws Exception {
        try (var server = TestServer.open()) {
            var port = server.door.url().replaceAll(".*:", "");
            var answer =
                    asNobody(
                            "exec 3<>/dev/tcp/127.0.0.1/"
                                    + port
                                    + "; printf 'GET /api/tasks HTTP/1.1\\r"
                                    + "\\n"
                                    + "Host: localhost\\r"
                                    + "\\n"
                                    + "Connection: close\\r"
                                    + "\\n"
                                    + "\\r"
                                    + "\\n"
                                    + "' >&3; cat <&3");
            assertThat(answer)
                    .startsWith("HTTP/1.1 403")
                    .contains("caller.not_served")
                    .contains("uid " + NOBODY);
            var health =
                    asNobody(
                            "exec 3<>/dev/tcp/127.0.0.1/"
                                    + port
                                    + "; printf 'GET /api/health HTTP/1.1\\r"
                                    + "\\n"
                                    + "Host: localhost\\r"
                                    + "\\n"
                                    + "Connection: close\\r"
                                    + "\\n"
                                    + "\\r"
                                    + "\\n"
                                    + "' >&3; cat <&3");
            assertThat(health).startsWith("HTTP/1.1 200");
        }
    }

    /** The kernel lists a closed socket as root's; that must not make its client root. */
    @Test
    void disconnectedCallerIsNotTreatedAsRoot() throws Exception {
        try (var server = TestServer.open()) {
            var port = server.door.url().replaceAll(".*:", "");
            var body = TestServer.cpuTask("forged");
            asNobody(
                    "for i in {1..100}; do exec 3<>/dev/tcp/127.0.0.1/"
                            + port
                            + "; printf 'POST /api/tasks HTTP/1.1\\r"
                            + "\\n"
                            + "Host: localhost\\r"
                            + "\\n"
                            + "Content-Length: "
                            + body.length()
                            + "\\r\\n\\r\\n%s' '"
                            + body
                            + "' >&3; exec 3>&-; done");
            // A later request was answered, so the earlier ones have been checked.
            server.submit(TestServer.cpuTask("honest"));
            dev.berth.testkit.Eventually.eventually(
                    "all of them are gone", () -> connectionsTo(Integer.parseInt(port)) == 0);
            assertThat(server.tasks()).isEqualTo(1);
        }
    }

    private static long connectionsTo(int port) throws Exception {
        var suffix = String.format(":%04X", port);
        try (var lines = Files.lines(Path.of("/proc/net/tcp"))) {
            return lines.map(line -> line.strip().split("\\s+"))
                    // States 06 and 0A: TIME_WAIT and LISTEN.
                    .filter(
                            row ->
                                    row[1].endsWith(suffix)
                                            && !row[3].equals("06")
                                            && !row[3].equals("0A"))
                    .count();
        }
    }

    @Test
    void otherUserOnTheSocketIsRejectedWithTheReason() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "needs curl");
        try (var server = TestServer.open()) {
            // As if the home were open to all users: the server still checks the caller.
            Files.setPosixFilePermissions(
                    server.home, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(
                    server.door.socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
            var answer =
                    asNobody(
                            "curl -s -i --unix-socket "
                                    + server.door.socket()
                                    + " http://localhost/api/tasks");
            assertThat(answer)
                    .startsWith("HTTP/1.1 403")
                    .contains("caller.not_served")
                    .contains("berth serve");
        }
    }

    @Test
    void socketFileIsPrivate() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "needs curl");
        try (var server = TestServer.open()) {
            Files.setPosixFilePermissions(
                    server.home, PosixFilePermissions.fromString("rwxr-xr-x"));
            assertThat(
                            asNobody(
                                    "curl -sS --unix-socket "
                                            + server.door.socket()
                                            + " http://localhost/api/health"))
                    .contains("curl: (7)");
        }
    }
}

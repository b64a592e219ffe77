package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.http.limit.UserLimits;
import dev.berth.identity.AuthMode;
import dev.berth.testkit.http.TestHttpClient;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

class HttpServerTest {

    @TempDir private Path directory;

    private Path home() throws Exception {
        return Files.createDirectory(directory.resolve("home"));
    }

    @Test
    void acceptsNoConnectionBeforeOpen() throws Exception {
        var home = home();
        try (var server = TestServer.closed(home)) {
            assertThat(home.resolve("berth.sock")).doesNotExist();
            server.listen();
            assertThat(server.socket().get("/api/health").status()).isEqualTo(200);
            assertThat(server.tcp().get("/api/health").status()).isEqualTo(200);
        }
    }

    @Test
    void socketIsPrivateAndNoOtherFileRemains() throws Exception {
        var home = home();
        try (var server = TestServer.closed(home)) {
            server.listen();
            var socket = home.resolve("berth.sock");
            assertThat(server.door.socket()).isEqualTo(socket);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                    .isEqualTo("rw-------");
            try (var all = Files.list(home)) {
                assertThat(all).containsExactly(socket);
            }
        }
    }

    @Test
    void replacesTheSocketOfAKilledServer() throws Exception {
        var home = home();
        var left = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        left.bind(UnixDomainSocketAddress.of(home.resolve("berth.sock")));
        left.close();
        Files.createDirectory(home.resolve(".sock"));
        try (var server = TestServer.closed(home)) {
            server.listen();
            assertThat(server.socket().get("/api/health").status()).isEqualTo(200);
        }
    }

    @Test
    void closeRemovesTheSocketAndDisconnects() throws Exception {
        var home = home();
        var server = TestServer.closed(home);
        server.listen();
        int port = URI.create(server.door.url()).getPort();
        server.stopServing();
        assertThat(home.resolve("berth.sock")).doesNotExist();
        assertThatThrownBy(() -> TestHttpClient.port(port).get("/api/health"))
                .hasCauseInstanceOf(ConnectException.class);
        server.close();
    }

    @Test
    void closeAnswersWaitingRequests() throws Exception {
        var server = TestServer.open();
        long task = server.submit(TestServer.cpuTask("long"));
        var waiting =
                TestServer.async(
                        () -> server.socket().get("/api/tasks/" + task + "/wait?seconds=60"));
        eventually("it has come in", () -> server.waitingCalls() == 1);
        server.close();
        var reply = waiting.get(3, TimeUnit.MINUTES);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json().get("status").asString()).isEqualTo("running");
    }

    @Test
    void closeLetsOpenRequestsFinish() throws Exception {
        var server = TestServer.open();
        long task = server.submit(TestServer.cpuTask("talks"));
        var gate = new CountDownLatch(1);
        server.logs.gate = gate;
        var reading = TestServer.async(() -> server.socket().get("/api/tasks/" + task + "/logs"));
        eventually("it has come in", () -> server.logs.readers.get() > 0);
        var closing =
                TestServer.async(
                        () -> {
                            server.stopServing();
                            return "closed";
                        });
        eventually("nobody else comes in", () -> !Files.exists(server.door.socket()));
        assertThat(closing).isNotDone();
        gate.countDown();
        assertThat(reading.get(3, TimeUnit.MINUTES).status()).isEqualTo(200);
        closing.get(3, TimeUnit.MINUTES);
        server.close();
    }

    @Test
    void longHomePathPutsTheSocketElsewhere() throws Exception {
        var home =
                Files.createDirectories(directory.resolve("x".repeat(60)).resolve("y".repeat(60)));
        var note = home.resolve("berth.sock.path");
        Path socket;
        try (var server = TestServer.closed(home)) {
            server.listen();
            socket = server.door.socket();
            assertThat(Files.readString(note).strip()).isEqualTo(socket.toString());
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(socket.getParent())))
                    .isEqualTo("rwx------");
            assertThat(server.socket().get("/api/health").status()).isEqualTo(200);
        }
        assertThat(note.getParent()).doesNotExist();
        assertThat(socket.getParent()).doesNotExist();
    }

    @Test
    void takesTheNextFreePort() throws Exception {
        try (var first = TestServer.open()) {
            int port = URI.create(first.door.url()).getPort();
            try (var second =
                    TestServer.open(
                            home ->
                                    new HttpSettings(
                                            home,
                                            Path.of("/tmp"),
                                            "127.0.0.1",
                                            port,
                                            true,
                                            AuthMode.NONE,
                                            Optional.empty(),
                                            Set.of(),
                                            Optional.empty(),
                                            false,
                                            UserLimits.DEFAULT),
                            HttpServer.Timeouts.DEFAULT)) {
                assertThat(URI.create(second.door.url()).getPort()).isBetween(port + 1, port + 100);
                assertThat(second.tcp().get("/api/health").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void reportsTheOwnerOfAnOccupiedPort() throws Exception {
        try (var server = TestServer.open()) {
            int port = URI.create(server.door.url()).getPort();
            var second =
                    new HttpServer(
                            HttpSettings.onLoopback(home(), port, AuthMode.NONE), server.runtime);
            assertThatThrownBy(() -> server.listenOn(second))
                    .isInstanceOf(ListenFailure.class)
                    .hasMessageContaining("Port " + port)
                    .hasMessageContaining("(pid " + ProcessHandle.current().pid() + ")")
                    .hasMessageContaining("--port");
            assertThat(directory.resolve("home/berth.sock")).doesNotExist();
        }
    }
}

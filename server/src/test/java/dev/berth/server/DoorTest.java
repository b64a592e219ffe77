package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.api.About;
import dev.berth.server.api.Desk;
import dev.berth.server.api.TimeLimits;
import dev.berth.server.history.Charts;
import dev.berth.server.identity.Auth;
import dev.berth.server.lane.Lanes;
import dev.berth.server.lane.Remains;
import dev.berth.server.limit.Limits;

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
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

class DoorTest {

    @TempDir private Path directory;

    private Path home() throws Exception {
        return Files.createDirectory(directory.resolve("home"));
    }

    @Test
    void nobodyComesInBeforeItOpens() throws Exception {
        var home = home();
        try (var premises = Premises.closed(home)) {
            assertThat(home.resolve("berth.sock")).doesNotExist();
            premises.door.open();
            assertThat(premises.socket().get("/api/health").status()).isEqualTo(200);
            assertThat(premises.tcp().get("/api/health").status()).isEqualTo(200);
        }
    }

    @Test
    void theSocketIsPrivateAndNothingElseIsLeft() throws Exception {
        var home = home();
        try (var premises = Premises.closed(home)) {
            premises.door.open();
            var socket = home.resolve("berth.sock");
            assertThat(premises.door.socket()).isEqualTo(socket);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                    .isEqualTo("rw-------");
            try (var all = Files.list(home)) {
                assertThat(all).containsExactly(socket);
            }
        }
    }

    @Test
    void aSocketLeftByAKilledServerIsReplaced() throws Exception {
        var home = home();
        var left = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        left.bind(UnixDomainSocketAddress.of(home.resolve("berth.sock")));
        left.close();
        Files.createDirectory(home.resolve(".sock"));
        try (var premises = Premises.closed(home)) {
            premises.door.open();
            assertThat(premises.socket().get("/api/health").status()).isEqualTo(200);
        }
    }

    @Test
    void closingTakesTheSocketAwayAndHangsUp() throws Exception {
        var home = home();
        var premises = Premises.closed(home);
        premises.door.open();
        int port = URI.create(premises.door.url()).getPort();
        premises.door.close();
        assertThat(home.resolve("berth.sock")).doesNotExist();
        assertThatThrownBy(() -> Http.port(port).get("/api/health"))
                .hasCauseInstanceOf(ConnectException.class);
        premises.close();
    }

    @Test
    void closingAnswersThoseWhoWait() throws Exception {
        var premises = Premises.open();
        long task = premises.submit(Premises.cpuTask("long"));
        long before = premises.lookups.get();
        var waiting =
                Premises.beside(
                        () -> premises.socket().get("/api/tasks/" + task + "/wait?seconds=60"));
        eventually("it has come in", () -> premises.lookups.get() > before);
        premises.close();
        var reply = waiting.get(30, TimeUnit.SECONDS);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.json().get("status").asString()).isEqualTo("running");
    }

    @Test
    void closingLetsThoseInsideFinish() throws Exception {
        var premises = Premises.open();
        long task = premises.submit(Premises.cpuTask("talks"));
        var gate = new CountDownLatch(1);
        premises.logs.gate = gate;
        long before = premises.lookups.get();
        var reading = Premises.beside(() -> premises.socket().get("/api/tasks/" + task + "/logs"));
        eventually("it has come in", () -> premises.lookups.get() > before);
        var closing =
                Premises.beside(
                        () -> {
                            premises.door.close();
                            return "closed";
                        });
        eventually("nobody else comes in", () -> !Files.exists(premises.door.socket()));
        assertThat(closing).isNotDone();
        gate.countDown();
        assertThat(reading.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
        closing.get(30, TimeUnit.SECONDS);
        premises.close();
    }

    @Test
    void aHomeWithALongPathHasItsSocketElsewhereAndNamesIt() throws Exception {
        var home =
                Files.createDirectories(directory.resolve("x".repeat(60)).resolve("y".repeat(60)));
        var note = home.resolve("berth.sock.path");
        Path socket;
        try (var premises = Premises.closed(home)) {
            premises.door.open();
            socket = premises.door.socket();
            assertThat(Files.readString(note).strip()).isEqualTo(socket.toString());
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(socket.getParent())))
                    .isEqualTo("rwx------");
            assertThat(premises.socket().get("/api/health").status()).isEqualTo(200);
        }
        assertThat(note.getParent()).doesNotExist();
        assertThat(socket.getParent()).doesNotExist();
    }

    @Test
    void aTakenPortMayBePassedOver() throws Exception {
        try (var first = Premises.open()) {
            int port = URI.create(first.door.url()).getPort();
            try (var second =
                    Premises.open(
                            home ->
                                    new DoorSettings(
                                            home,
                                            Path.of("/tmp"),
                                            "127.0.0.1",
                                            port,
                                            true,
                                            Auth.NONE,
                                            Optional.empty(),
                                            Set.of(),
                                            false,
                                            Limits.USUAL),
                            Door.Patience.USUAL)) {
                assertThat(URI.create(second.door.url()).getPort()).isBetween(port + 1, port + 100);
                assertThat(second.tcp().get("/api/health").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void aTakenPortIsNamedWithWhoHasIt() throws Exception {
        try (var premises = Premises.open()) {
            int port = URI.create(premises.door.url()).getPort();
            var second =
                    new Door(
                            DoorSettings.local(home(), port, Auth.NONE),
                            new Desk(
                                    premises.engine,
                                    premises.store,
                                    premises.logs,
                                    _ -> Optional.empty(),
                                    Lanes.at(premises.home),
                                    new Remains(
                                            premises.engine,
                                            premises.store,
                                            premises.book,
                                            premises.strays),
                                    Charts.NONE,
                                    premises.messages),
                            new About(
                                    "1",
                                    directory,
                                    Instant.EPOCH,
                                    "none",
                                    "",
                                    TimeLimits.USUAL,
                                    Premises.book(directory, new ArrayList<>()),
                                    premises.figures),
                            _ -> {});
            assertThatThrownBy(second::open)
                    .isInstanceOf(DoorBlocked.class)
                    .hasMessageContaining("Port " + port)
                    .hasMessageContaining("(pid " + ProcessHandle.current().pid() + ")")
                    .hasMessageContaining("--port");
            assertThat(directory.resolve("home/berth.sock")).doesNotExist();
        }
    }
}

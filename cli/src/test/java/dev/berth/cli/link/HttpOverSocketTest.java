package dev.berth.cli.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.link.LinkFailure.Kind;
import dev.berth.cli.stage.StubServer;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

class HttpOverSocketTest {

    private static final Duration SHORT = Duration.ofMillis(50);

    @TempDir private Path dir;
    private Path socket;
    private StubServer server;
    private final HttpOverSocket http = new HttpOverSocket();

    @BeforeEach
    void serve() {
        socket = dir.resolve("s");
        server = new StubServer(socket);
    }

    @AfterEach
    void end() {
        http.close();
        server.close();
    }

    private static void fails(Kind kind, ThrowingCallable exchange) {
        assertThatThrownBy(exchange)
                .isInstanceOfSatisfying(
                        LinkFailure.class, failure -> assertThat(failure.kind()).isEqualTo(kind));
    }

    @Test
    void sendsWhatHttpAsksFor() throws Exception {
        server.on("POST /a?b=c", "{}");
        http.exchange(socket, Request.post("/a?b=c", "{\"x\":\"训\"}").with("Idempotency-Key", "k"));
        StubServer.Seen seen = server.seen().getFirst();
        assertThat(seen.body()).isEqualTo("{\"x\":\"训\"}");
        assertThat(seen.headers())
                .containsAllEntriesOf(
                        Map.of(
                                "host", "localhost",
                                "idempotency-key", "k",
                                "content-type", "application/json",
                                "content-length", "11"));
    }

    @Test
    void aConnectionIsUsedAgain() throws Exception {
        server.on("GET /a", server.json(200, "1"), server.chunked("[2, 3]", 1));
        assertThat(http.exchange(socket, Request.get("/a")).body()).isEqualTo("1");
        assertThat(http.exchange(socket, Request.get("/a")).body()).isEqualTo("[2, 3]");
        assertThat(http.exchange(socket, Request.get("/b")).status()).isEqualTo(404);
        assertThat(server.seen()).extracting(StubServer.Seen::connection).containsOnly(1);
    }

    @Test
    void aConnectionThatTheServerClosesIsOpenedAnew() throws Exception {
        server.on(
                "GET /a",
                server.rawThenClose(
                        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n1"));
        http.exchange(socket, Request.get("/a"));
        http.exchange(socket, Request.get("/a"));
        assertThat(server.seen()).extracting(StubServer.Seen::connection).containsExactly(1, 2);
    }

    @Test
    void nobodyThereIsSaid() {
        fails(Kind.NO_SERVER, () -> http.exchange(dir.resolve("none"), Request.get("/")));
        server.stop();
        assertThat(Files.exists(socket)).as("a killed server leaves its socket behind").isTrue();
        fails(Kind.NO_SERVER, () -> http.exchange(socket, Request.get("/")));
    }

    @Test
    void aLostConnectionIsSaid() {
        server.on(
                "GET /a",
                server.hangUp(),
                server.rawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"));
        fails(Kind.LOST, () -> http.exchange(socket, Request.get("/a")));
        fails(Kind.LOST, () -> http.exchange(socket, Request.get("/a")));
    }

    @Test
    void anAnswerToALargeBodyIsReadThoughTheBodyWasNotTaken() throws Exception {
        // Answers on connecting and hangs up: the body cannot be sent to its end.
        Path impatient = dir.resolve("i");
        try (RefusingServer refusing = new RefusingServer(impatient)) {
            Reply reply = http.exchange(impatient, Request.post("/a", "x".repeat(8 * 1024 * 1024)));
            assertThat(reply.status()).isEqualTo(413);
            assertThat(refusing.connections()).isEqualTo(1);
        }
    }

    @Test
    void aSilentServerIsNotWaitedForForEver() throws Exception {
        CountDownLatch silence = new CountDownLatch(1);
        server.on("GET /a", server.after(() -> await(silence), server.hangUp()));
        Request request = Request.get("/a").within(SHORT);
        fails(Kind.SLOW, () -> http.exchange(socket, request));
        silence.countDown();
        server.on("GET /b", "1");
        assertThat(http.exchange(socket, Request.get("/b")).body()).isEqualTo("1");
    }

    @Test
    void aServerThatNeverComesToThePointIsCutOff() {
        byte[] soon = "HTTP/1.1 100 Soon\r\n\r\n".getBytes(StandardCharsets.UTF_8);
        server.on(
                "GET /a",
                (_, to) -> {
                    while (true) {
                        to.write(soon);
                    }
                });
        fails(Kind.GARBLED, () -> http.exchange(socket, Request.get("/a")));
    }

    @Test
    void aDeadlineThatWasKeptEndsNothing() throws Exception {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            Deadline deadline = new Deadline(Duration.ofHours(1));
            deadline.guard(channel);
            deadline.close();
            assertThat(deadline.watcher().join(Duration.ofSeconds(10))).isTrue();
            assertThat(deadline.passed()).isFalse();
            assertThat(channel.isOpen()).isTrue();
        }
    }

    @Test
    void aDeadlineThatPassedEndsWhatItGuardsNowAndLater() throws Exception {
        try (SocketChannel early = SocketChannel.open(StandardProtocolFamily.UNIX);
                SocketChannel late = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            Deadline deadline = new Deadline(SHORT);
            deadline.guard(early);
            assertThat(deadline.watcher().join(Duration.ofSeconds(10))).isTrue();
            deadline.guard(late);
            assertThat(early.isOpen() || late.isOpen()).isFalse();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

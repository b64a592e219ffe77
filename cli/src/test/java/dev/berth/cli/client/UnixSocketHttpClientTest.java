package dev.berth.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.client.ConnectionFailure.Kind;
import dev.berth.cli.fixture.StubServer;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

class UnixSocketHttpClientTest {

    private static final Duration SHORT = Duration.ofMillis(50);

    @TempDir private Path dir;
    private Path socket;
    private StubServer server;
    private final UnixSocketHttpClient http = new UnixSocketHttpClient();

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
                        ConnectionFailure.class,
                        failure -> assertThat(failure.kind()).isEqualTo(kind));
    }

    @Test
    void sendsWhatHttpAsksFor() throws Exception {
        server.on("POST /a?b=c", "{}");
        http.exchange(
                socket,
                ApiRequest.post("/a?b=c", "{\"x\":\"训\"}").withHeader("Idempotency-Key", "k"));
        StubServer.ReceivedRequest seen = server.received().getFirst();
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
        assertThat(http.exchange(socket, ApiRequest.get("/a")).body()).isEqualTo("1");
        assertThat(http.exchange(socket, ApiRequest.get("/a")).body()).isEqualTo("[2, 3]");
        assertThat(http.exchange(socket, ApiRequest.get("/b")).status()).isEqualTo(404);
        assertThat(server.received())
                .extracting(StubServer.ReceivedRequest::connection)
                .containsOnly(1);
    }

    @Test
    void aConnectionThatTheServerClosesIsOpenedAnew() throws Exception {
        server.on(
                "GET /a",
                server.rawThenClose(
                        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n1"));
        http.exchange(socket, ApiRequest.get("/a"));
        http.exchange(socket, ApiRequest.get("/a"));
        assertThat(server.received())
                .extracting(StubServer.ReceivedRequest::connection)
                .containsExactly(1, 2);
    }

    @Test
    void aMissingServerIsReported() {
        fails(Kind.NO_SERVER, () -> http.exchange(dir.resolve("none"), ApiRequest.get("/")));
        server.stop();
        assertThat(Files.exists(socket)).as("a killed server leaves its socket behind").isTrue();
        fails(Kind.NO_SERVER, () -> http.exchange(socket, ApiRequest.get("/")));
    }

    @Test
    void aLostConnectionIsReported() {
        server.on(
                "GET /a",
                server.closeWithoutReply(),
                server.rawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"));
        fails(Kind.CONNECTION_LOST, () -> http.exchange(socket, ApiRequest.get("/a")));
        fails(Kind.CONNECTION_LOST, () -> http.exchange(socket, ApiRequest.get("/a")));
    }

    @Test
    void anAnswerToALargeBodyIsReadThoughTheBodyWasNotTaken() throws Exception {
        // Replies on connect and closes: the body cannot be sent completely.
        Path impatient = dir.resolve("i");
        try (TooLargeReplyServer refusing = new TooLargeReplyServer(impatient)) {
            ApiReply reply =
                    http.exchange(impatient, ApiRequest.post("/a", "x".repeat(8 * 1024 * 1024)));
            assertThat(reply.status()).isEqualTo(413);
            assertThat(refusing.connections()).isEqualTo(1);
        }
    }

    @Test
    void aSilentServerIsNotWaitedForForEver() throws Exception {
        CountDownLatch silence = new CountDownLatch(1);
        server.on("GET /a", server.after(() -> await(silence), server.closeWithoutReply()));
        ApiRequest request = ApiRequest.get("/a").withTimeout(SHORT);
        fails(Kind.TIMEOUT, () -> http.exchange(socket, request));
        silence.countDown();
        server.on("GET /b", "1");
        assertThat(http.exchange(socket, ApiRequest.get("/b")).body()).isEqualTo("1");
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
        fails(Kind.MALFORMED_REPLY, () -> http.exchange(socket, ApiRequest.get("/a")));
    }

    @Test
    @Timeout(60)
    void aDeadlineThatWasKeptEndsNothing() throws Exception {
        try (ExchangeDeadline deadlines = new ExchangeDeadline();
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            ExchangeDeadline.Exchange kept = deadlines.begin(SHORT);
            kept.guard(channel);
            kept.close();
            ExchangeDeadline.Exchange next = deadlines.begin(SHORT);
            awaitEnd(next);
            assertThat(kept.hasPassed()).isFalse();
            assertThat(channel.isOpen()).isTrue();
        }
    }

    @Test
    @Timeout(60)
    void aDeadlineThatPassedEndsWhatItGuardsNowAndLater() throws Exception {
        try (ExchangeDeadline deadlines = new ExchangeDeadline();
                SocketChannel early = SocketChannel.open(StandardProtocolFamily.UNIX);
                SocketChannel late = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            ExchangeDeadline.Exchange exchange = deadlines.begin(SHORT);
            exchange.guard(early);
            awaitEnd(exchange);
            awaitClosed(early);
            exchange.guard(late);
            assertThat(late.isOpen()).isFalse();
        }
    }

    @Test
    @Timeout(60)
    void oneThreadWatchesAllExchangesOfAClientAndEndsWithIt() throws Exception {
        ExchangeDeadline deadlines = new ExchangeDeadline();
        deadlines.begin(Duration.ofHours(1)).close();
        Thread first = Objects.requireNonNull(deadlines.watcher());
        ExchangeDeadline.Exchange shorter = deadlines.begin(SHORT);
        assertThat(deadlines.watcher()).isSameAs(first);
        awaitEnd(shorter);
        deadlines.close();
        assertThat(first.join(Duration.ofSeconds(10))).isTrue();
        ExchangeDeadline.Exchange again = deadlines.begin(SHORT);
        awaitEnd(again);
        deadlines.close();
    }

    private static void awaitEnd(ExchangeDeadline.Exchange exchange) {
        while (!exchange.hasPassed()) {
            Thread.onSpinWait();
        }
    }

    private static void awaitClosed(SocketChannel channel) {
        while (channel.isOpen()) {
            Thread.onSpinWait();
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

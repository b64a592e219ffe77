package dev.berth.server.stream;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.identity.AuthMode;
import dev.berth.server.HttpServer;
import dev.berth.server.TestServer;
import dev.berth.testkit.EventClient;
import dev.berth.testkit.EventClient.ReceivedEvent;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** The live event stream, as clients receive it. */
class EventStreamTest {

    private static final HttpServer.Timeouts BRISK =
            new HttpServer.Timeouts(
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(5),
                    new StreamTimeouts(Duration.ofMillis(100), Duration.ofMillis(500)));

    /**
     * The server waits for slow requests, but waits much longer for a request that delays shutdown.
     */
    private static final HttpServer.Timeouts TIMEOUTS =
            new HttpServer.Timeouts(
                    Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(60));

    private TestServer server;
    private String token;
    private final List<EventClient> clients = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open(AuthMode.TOKEN, TIMEOUTS);
        token = "Authorization: Bearer " + server.token();
    }

    @AfterEach
    void close() throws Exception {
        clients.forEach(EventClient::close);
        server.close();
    }

    private EventClient listen(String target, String... headers) {
        var all = new ArrayList<>(List.of(headers));
        all.add(token);
        var client = EventClient.listen(server.door.url(), target, all.toArray(String[]::new));
        clients.add(client);
        return client;
    }

    private EventClient connected() {
        var client = listen("/api/events");
        client.await("it is greeted", one -> !one.received("resync").isEmpty());
        return client;
    }

    private static JsonNode json(ReceivedEvent heard) {
        return JsonMapper.shared().readTree(heard.data());
    }

    private static List<Long> ids(EventClient client) {
        return client.received("task").stream().map(one -> Long.valueOf(one.id())).toList();
    }

    /** The sequence numbers of all events that belong to a task. */
    private List<Long> taskEventSeqs(long after) {
        return server.store.eventsAfter(after, 100_000).stream()
                .filter(event -> event.task().isPresent() && !event.payload().isAlert())
                .map(event -> event.seq())
                .toList();
    }

    @Test
    void newStreamStartsWithTheCurrentState() {
        long seq = server.engine.state().lastIds().seq();
        var client = connected();
        client.await("it has the pictures", one -> !one.received("queue").isEmpty());
        assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 200 OK");
        assertThat(client.head())
                .contains("Content-Type: text/event-stream", "Cache-Control: no-store");
        assertThat(client.received().getFirst())
                .isEqualTo(new ReceivedEvent("resync", Long.toString(seq), "{}"));
        assertThat(client.received("gpu")).hasSize(1);
        assertThat(json(client.received("gpu").getFirst()))
                .isEqualTo(server.socket().get("/api/gpus?processes=true").json());
        assertThat(client.received("gpu").getFirst().id()).isEmpty();
        assertThat(client.received("queue").getFirst().data())
                .isEqualTo("{\"queued\":0,\"running\":0,\"scheduler_running\":true}");
    }

    @Test
    void sendsTaskEventsInOrder() {
        var client = connected();
        long id = server.submit(TestServer.cpuTask("watched"));
        server.end(id, 3);
        client.await("it has heard of the end", one -> one.lastId().equals(lastSeq()));
        assertThat(client.received("task"))
                .extracting(one -> json(one).get("kind").asString())
                .containsExactly(
                        "task.submitted",
                        "attempt.granted",
                        "attempt.started",
                        "attempt.ended",
                        "task.failed");
        var last = json(client.received("task").getLast());
        assertThat(last.get("task_id").asLong()).isEqualTo(id);
        assertThat(last.get("task").get("status").asString()).isEqualTo("failed");
        assertThat(last.get("task").get("exit_code").asInt()).isEqualTo(3);
        assertThat(last.get("task").get("name").asString()).isEqualTo("watched");
        assertThat(ids(client)).isEqualTo(taskEventSeqs(0));
    }

    private String lastSeq() {
        return Long.toString(server.engine.state().lastIds().seq());
    }

    @Test
    void sendsGpusOnlyWhenTheyChange() {
        var client = connected();
        client.await("it sees the cards", one -> one.received("gpu").size() == 1);
        server.node.read(TestServer.GPUS);
        server.node.read(TestServer.GPUS, 500);
        client.await("it sees the change", one -> one.received("gpu").size() == 2);
        assertThat(json(client.received("gpu").getLast()).get(0).get("memory_used_mb").asInt())
                .isEqualTo(500);
    }

    @Test
    void resumesAfterAnInterruption() {
        var first = connected();
        server.submit(TestServer.cpuTask("one"));
        first.await("it has heard something", one -> !one.received("task").isEmpty());
        var seen = first.lastId();
        first.close();
        var missed =
                LongStream.range(0, 50).map(_ -> server.submit(TestServer.cpuTask("n"))).toArray();
        server.end(missed[0], 0);

        for (var target : List.of("/api/events", "/api/events?last_event_id=" + seen)) {
            var second =
                    target.contains("?")
                            ? listen(target)
                            : listen(target, "Last-Event-ID: " + seen);
            second.await(
                    "it has heard it all",
                    one -> ids(one).equals(taskEventSeqs(Long.parseLong(seen))));
            assertThat(second.received("resync")).isEmpty();
        }
    }

    @Test
    void resumesAfterARestart() throws Exception {
        var first = connected();
        server.submit(TestServer.cpuTask("before"));
        first.await("it has heard it all", one -> one.lastId().equals(lastSeq()));
        var seen = first.lastId();
        server = server.restart();
        first.await("the old stream is over", EventClient::isEnded);
        server.submit(TestServer.cpuTask("after"));

        var second = listen("/api/events", "Last-Event-ID: " + seen);
        second.await(
                "it has heard it all", one -> ids(one).equals(taskEventSeqs(Long.parseLong(seen))));
        assertThat(second.received("resync")).isEmpty();
        assertThat(ids(second)).isNotEmpty();
    }

    @Test
    void resyncsIfItCannotResume() {
        for (var last : List.of("99999999", "-1", "nonsense", "")) {
            var client = listen("/api/events", "Last-Event-ID: " + last);
            client.await("it receives resync", one -> !one.received("resync").isEmpty());
        }
        assertThat(server.socket().get("/api/events?last_event_id=x").status()).isEqualTo(422);
        assertThat(server.socket().get("/api/events?from=1").field()).isEqualTo("from");
        assertThat(server.socket().get("/api/events?log=99").status()).isEqualTo(404);
    }

    @Test
    void endsWhenTheTokenIsRevoked() {
        var client = connected();
        server.socket().send("DELETE", "/api/tokens/1", List.of(), new byte[0]);
        client.await("it is shown out", EventClient::isEnded);
        assertThat(client.received("task")).isEmpty();
    }

    @Test
    void endsWhenTheSessionEnds() {
        var cookie = server.cookie();
        var client = EventClient.listen(server.door.url(), "/api/events", cookie);
        clients.add(client);
        client.await("it is greeted", one -> !one.received("resync").isEmpty());
        server.tcp().post("/api/logout", "", cookie, "Sec-Fetch-Site: same-origin");
        client.await("it is shown out", EventClient::isEnded);
    }

    @Test
    void streamsDoNotDelayShutdown() throws Exception {
        var client = connected();
        var notReading = EventClient.connectWithoutReading(server.door.url(), "/api/events", token);
        clients.add(notReading);
        eventually("the other one receives data", notReading::hasUnreadData);
        long before = System.nanoTime();
        server.stopServing();
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isLessThan(TIMEOUTS.stop().dividedBy(2));
        client.await("it is over", EventClient::isEnded);
    }

    @Test
    void sendsHeartbeats() throws Exception {
        server.close();
        server = TestServer.open(AuthMode.NONE, BRISK);
        var client = EventClient.listen(server.door.url(), "/api/events");
        clients.add(client);
        client.await("it receives heartbeats", one -> one.comments() > 2);
    }

    @Test
    void disconnectsClientsThatDoNotRead() throws Exception {
        server.close();
        server = TestServer.open(AuthMode.NONE, BRISK);
        var notReading = EventClient.connectWithoutReading(server.door.url(), "/api/events");
        var client = EventClient.listen(server.door.url(), "/api/events");
        clients.addAll(List.of(notReading, client));
        client.await("it is greeted", one -> !one.received("resync").isEmpty());
        long seq = server.engine.state().lastIds().seq();
        eventually(
                Duration.ofSeconds(60),
                "the other one is disconnected",
                () -> {
                    for (int i = 0; i < 100; i++) {
                        server.submit(TestServer.cpuTask("x".repeat(200)));
                    }
                    return isDisconnected(notReading);
                });
        // Tasks end during the comparison, so both sides are read again.
        client.await("the other has heard it all", one -> ids(one).equals(taskEventSeqs(seq)));
    }

    /** Writing to a connection that the other side has closed resets it. */
    private static boolean isDisconnected(EventClient client) {
        return !client.isWritable();
    }

    @Test
    void sendsAlerts() {
        var client = connected();
        server.node.diskSpace(true, 5);
        client.await("it is alerted", one -> !one.received("alert").isEmpty());
        var alert = client.received("alert").getFirst();
        assertThat(json(alert).get("kind").asString()).isEqualTo("alert.disk_low");
        assertThat(json(alert).get("data").toString())
                .isEqualTo("{\"free_mib\":\"5\",\"node\":\"here\"}");
        var kept = server.socket().get("/api/alerts").json().get(0);
        kept.propertyStream()
                .forEach(
                        field ->
                                assertThat(json(alert).get(field.getKey()))
                                        .as(field.getKey())
                                        .isEqualTo(field.getValue()));
        assertThat(kept.get("level").asString()).isEqualTo("CRITICAL");
        assertThat(alert.id()).isEqualTo(lastSeq());
        client.await(
                "it sees that nothing starts",
                one ->
                        one.received("queue")
                                .getLast()
                                .data()
                                .contains("\"scheduler_running\":false"));
    }
}

package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.identity.Auth;
import dev.berth.server.stream.Timing;
import dev.berth.testkit.EventClient;
import dev.berth.testkit.EventClient.Heard;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Everything live, as its listeners hear it. */
class EventStreamTest {

    private static final Door.Patience BRISK =
            new Door.Patience(
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(5),
                    new Timing(Duration.ofMillis(100), Duration.ofMillis(500)));

    /** With those who ask; who holds up its end is waited for much longer than one who does not. */
    private static final Door.Patience PATIENT =
            new Door.Patience(
                    Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(60));

    private Premises premises;
    private String token;
    private final List<EventClient> clients = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        premises = Premises.open(Auth.TOKEN, PATIENT);
        token = "Authorization: Bearer " + premises.token();
    }

    @AfterEach
    void close() throws Exception {
        clients.forEach(EventClient::close);
        premises.close();
    }

    private EventClient listen(String target, String... headers) {
        var all = new ArrayList<>(List.of(headers));
        all.add(token);
        var client = EventClient.listen(premises.door.url(), target, all.toArray(String[]::new));
        clients.add(client);
        return client;
    }

    private EventClient greeted() {
        var client = listen("/api/events");
        client.await("it is greeted", one -> !one.heard("resync").isEmpty());
        return client;
    }

    private static JsonNode json(Heard heard) {
        return JsonMapper.shared().readTree(heard.data());
    }

    private static List<Long> ids(EventClient client) {
        return client.heard("task").stream().map(one -> Long.valueOf(one.id())).toList();
    }

    /** The seqs of all events that have a task. */
    private List<Long> told(long after) {
        return premises.store.eventsAfter(after, 100_000).stream()
                .filter(event -> event.task().isPresent())
                .map(event -> event.seq())
                .toList();
    }

    @Test
    void aNewListenerIsToldWhereItStands() {
        long seq = premises.engine.state().marks().seq();
        var client = greeted();
        client.await("it has the pictures", one -> !one.heard("queue").isEmpty());
        assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 200 OK");
        assertThat(client.head())
                .contains("Content-Type: text/event-stream", "Cache-Control: no-store");
        assertThat(client.heard().getFirst())
                .isEqualTo(new Heard("resync", Long.toString(seq), "{}"));
        assertThat(client.heard("gpu")).hasSize(1);
        assertThat(json(client.heard("gpu").getFirst()))
                .isEqualTo(premises.socket().get("/api/gpus?processes=true").json());
        assertThat(client.heard("gpu").getFirst().id()).isEmpty();
        assertThat(client.heard("queue").getFirst().data())
                .isEqualTo("{\"queued\":0,\"running\":0,\"scheduler_running\":true}");
    }

    @Test
    void whatHappensToATaskIsToldInOrderWithTheTask() {
        var client = greeted();
        long id = premises.submit(Premises.cpuTask("watched"));
        premises.end(id, 3);
        client.await("it has heard of the end", one -> one.lastId().equals(lastSeq()));
        assertThat(client.heard("task"))
                .extracting(one -> json(one).get("kind").asString())
                .containsExactly(
                        "task.submitted",
                        "attempt.granted",
                        "attempt.started",
                        "attempt.ended",
                        "task.failed");
        var last = json(client.heard("task").getLast());
        assertThat(last.get("task_id").asLong()).isEqualTo(id);
        assertThat(last.get("task").get("status").asString()).isEqualTo("failed");
        assertThat(last.get("task").get("exit_code").asInt()).isEqualTo(3);
        assertThat(last.get("task").get("name").asString()).isEqualTo("watched");
        assertThat(ids(client)).isEqualTo(told(0));
    }

    private String lastSeq() {
        return Long.toString(premises.engine.state().marks().seq());
    }

    @Test
    void cardsAreToldOnlyWhenTheyChanged() {
        var client = greeted();
        client.await("it sees the cards", one -> one.heard("gpu").size() == 1);
        premises.node.read(Premises.CARDS);
        premises.node.read(Premises.CARDS, 500);
        client.await("it sees the change", one -> one.heard("gpu").size() == 2);
        assertThat(json(client.heard("gpu").getLast()).get(0).get("memory_used_mb").asInt())
                .isEqualTo(500);
    }

    @Test
    void itGoesOnWhereItWasInterrupted() {
        var first = greeted();
        premises.submit(Premises.cpuTask("one"));
        first.await("it has heard something", one -> !one.heard("task").isEmpty());
        var seen = first.lastId();
        first.close();
        var missed =
                LongStream.range(0, 50).map(_ -> premises.submit(Premises.cpuTask("n"))).toArray();
        premises.end(missed[0], 0);

        for (var target : List.of("/api/events", "/api/events?last_event_id=" + seen)) {
            var second =
                    target.contains("?")
                            ? listen(target)
                            : listen(target, "Last-Event-ID: " + seen);
            second.await("it has heard it all", one -> ids(one).equals(told(Long.parseLong(seen))));
            assertThat(second.heard("resync")).isEmpty();
        }
    }

    @Test
    void itGoesOnThroughARestart() throws Exception {
        var first = greeted();
        premises.submit(Premises.cpuTask("before"));
        first.await("it has heard it all", one -> one.lastId().equals(lastSeq()));
        var seen = first.lastId();
        premises = premises.next();
        first.await("the old stream is over", EventClient::isEnded);
        premises.submit(Premises.cpuTask("after"));

        var second = listen("/api/events", "Last-Event-ID: " + seen);
        second.await("it has heard it all", one -> ids(one).equals(told(Long.parseLong(seen))));
        assertThat(second.heard("resync")).isEmpty();
        assertThat(ids(second)).isNotEmpty();
    }

    @Test
    void whatCannotBeResumedBeginsAnew() {
        for (var last : List.of("99999999", "-1", "nonsense", "")) {
            var client = listen("/api/events", "Last-Event-ID: " + last);
            client.await("it is told to resync", one -> !one.heard("resync").isEmpty());
        }
        assertThat(premises.socket().get("/api/events?last_event_id=x").status()).isEqualTo(422);
        assertThat(premises.socket().get("/api/events?from=1").field()).isEqualTo("from");
        assertThat(premises.socket().get("/api/events?log=99").status()).isEqualTo(404);
    }

    @Test
    void aStreamEndsWithItsToken() {
        var client = greeted();
        premises.socket().send("DELETE", "/api/tokens/1", List.of(), new byte[0]);
        client.await("it is shown out", EventClient::isEnded);
        assertThat(client.heard("task")).isEmpty();
    }

    @Test
    void aStreamEndsWithItsSession() {
        var cookie = premises.cookie();
        var client = EventClient.listen(premises.door.url(), "/api/events", cookie);
        clients.add(client);
        client.await("it is greeted", one -> !one.heard("resync").isEmpty());
        premises.tcp().post("/api/logout", "", cookie, "Sec-Fetch-Site: same-origin");
        client.await("it is shown out", EventClient::isEnded);
    }

    @Test
    void streamsDoNotHoldUpTheEnd() throws Exception {
        var client = greeted();
        var deaf = EventClient.deaf(premises.door.url(), "/api/events", token);
        clients.add(deaf);
        eventually("the deaf one is spoken to", deaf::isSpokenTo);
        long before = System.nanoTime();
        premises.door.close();
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .isLessThan(PATIENT.stop().dividedBy(2));
        client.await("it is over", EventClient::isEnded);
    }

    @Test
    void silenceIsBrokenByASignOfLife() throws Exception {
        premises.close();
        premises = Premises.open(Auth.NONE, BRISK);
        var client = EventClient.listen(premises.door.url(), "/api/events");
        clients.add(client);
        client.await("it hears that somebody is there", one -> one.comments() > 2);
    }

    @Test
    void whoeverNeverReadsIsCutAndTheOthersHearAll() throws Exception {
        premises.close();
        premises = Premises.open(Auth.NONE, BRISK);
        var deaf = EventClient.deaf(premises.door.url(), "/api/events");
        var client = EventClient.listen(premises.door.url(), "/api/events");
        clients.addAll(List.of(deaf, client));
        client.await("it is greeted", one -> !one.heard("resync").isEmpty());
        long seq = premises.engine.state().marks().seq();
        eventually(
                Duration.ofSeconds(60),
                "the deaf one is cut",
                () -> {
                    for (int i = 0; i < 100; i++) {
                        premises.submit(Premises.cpuTask("x".repeat(200)));
                    }
                    return isCut(deaf);
                });
        // Tasks end while we look, so both sides are asked again.
        client.await("the other has heard it all", one -> ids(one).equals(told(seq)));
    }

    /** A connection that the other side has closed is reset when it is written to. */
    private static boolean isCut(EventClient deaf) {
        return !deaf.canStillBeWrittenTo();
    }

    @Test
    void alertsAreToldAsSuch() {
        var client = greeted();
        premises.node.diskSpace(true, 5);
        client.await("it is alerted", one -> !one.heard("alert").isEmpty());
        var alert = client.heard("alert").getFirst();
        assertThat(json(alert).get("kind").asString()).isEqualTo("alert.disk_low");
        assertThat(json(alert).get("data").toString())
                .isEqualTo("{\"free_mib\":\"5\",\"node\":\"here\"}");
        var kept = premises.socket().get("/api/alerts").json().get(0);
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
                one -> one.heard("queue").getLast().data().contains("\"scheduler_running\":false"));
    }
}

package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testkit.EventClient;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.JsonNode;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The event stream of the whole program, under load and until it ends. */
@ExtendWith(ServerHarnessExtension.class)
final class EventStreamLoadTest {

    private static final int IDLE = 200;
    private static final long MOST_KIB = 96 << 10;

    private static String url(ServerHarness harness) {
        return ((TcpTestClient) harness.api().client()).url();
    }

    private static EventClient greeted(ServerHarness harness) {
        var client = EventClient.listen(url(harness), "/api/events");
        client.await("it is greeted", one -> !one.received("resync").isEmpty());
        return client;
    }

    /** All events about tasks after this one. */
    private static List<String> told(TestApi api, String after) {
        var seqs = new ArrayList<String>();
        var last = after;
        while (true) {
            var page =
                    TestApi.list(
                            api.client()
                                    .get("/api/events/log?limit=1000&after=" + last)
                                    .expect(200));
            if (page.isEmpty()) {
                return seqs;
            }
            page.stream()
                    .filter(event -> !event.path("task_id").isNull())
                    .forEach(event -> seqs.add(seq(event)));
            last = seq(page.getLast());
        }
    }

    private static String seq(JsonNode event) {
        return Long.toString(event.path("seq").asLong());
    }

    private static List<String> heard(EventClient client) {
        return client.received("task").stream().map(EventClient.ReceivedEvent::id).toList();
    }

    @Test
    void nothingIsMissingAfterAWhileWithoutAConnection(ServerHarness harness) {
        var api = harness.start();
        var first = greeted(harness);
        var start = first.lastId();
        long[] tasks =
                LongStream.range(0, 40).map(_ -> api.submit(TaskBuilder.cpu("true"))).toArray();
        first.await("it has heard some", one -> heard(one).size() > 5);
        first.close();
        var before = heard(first);
        for (int i = 0; i < 40; i++) {
            api.awaitEnd(api.submit(TaskBuilder.cpu("true")));
        }
        api.awaitEnd(tasks[tasks.length - 1]);

        try (var second =
                EventClient.listen(
                        url(harness), "/api/events", "Last-Event-ID: " + before.getLast())) {
            api.awaitEnd(api.submit(TaskBuilder.cpu("true")));
            var all = told(api, start);
            second.await(
                    "it has caught up", one -> heard(one).contains(told(api, start).getLast()));
            var both = Stream.concat(before.stream(), heard(second).stream()).toList();
            assertThat(both.subList(0, all.size())).isEqualTo(all);
            assertThat(second.received("resync")).isEmpty();
        }
    }

    @Test
    void aStreamGoesOnAfterTheServerWasKilled(ServerHarness harness) {
        var api = harness.start();
        var first = greeted(harness);
        var start = first.lastId();
        long id = api.submit(TaskBuilder.oneGpu("sleep 60082"));
        api.awaitPhase(id, "running");
        first.await("it has heard of the start", one -> heard(one).size() >= 3);
        var again = harness.restart();
        first.await("the stream is over", EventClient::isEnded);
        again.cancel(id);
        again.awaitEnd(id);

        try (var second =
                EventClient.listen(
                        url(harness), "/api/events", "Last-Event-ID: " + first.lastId())) {
            second.await("it receives the end", one -> one.lastId().equals(last(again, start)));
            assertThat(second.received("resync")).isEmpty();
            assertThat(Stream.concat(heard(first).stream(), heard(second).stream()).toList())
                    .isEqualTo(told(again, start));
        }
    }

    private static String last(TestApi api, String after) {
        return told(api, after).getLast();
    }

    /** The task prints its next line only when the one before has been received. */
    @Test
    void eachLineIsSeenBeforeTheTaskPrintsAnother(ServerHarness harness) {
        var api = harness.start();
        var gate = harness.file("gate");
        var command =
                "for i in 0 1 2 3 4; do echo line=$i; until [[ -e %s$i ]]; do sleep 0.02; done;"
                        + " done";
        long id = api.submit(TaskBuilder.cpu(command.formatted(gate)));
        try (var client = EventClient.listen(url(harness), "/api/tasks/" + id + "/logs/stream")) {
            for (int i = 0; i < 5; i++) {
                var line = "line=" + i;
                client.await(line, one -> hasLine(one, line));
                TaskLifecycleTest.touch(Path.of(gate.toString() + i));
            }
            client.await("it is over", EventClient::isEnded);
            assertThat(client.received("end")).hasSize(1);
        }
    }

    private static boolean hasLine(EventClient client, String wanted) {
        return client.received("log").stream()
                .flatMap(
                        message ->
                                TestApi.list(TestClient.JSON.readTree(message.data()).path("lines"))
                                        .stream())
                .anyMatch(line -> line.asString().equals(wanted));
    }

    @Test
    void manyStreamsAndOneThatDoesNotReadCostLittle(ServerHarness harness) {
        var api = harness.start();
        api.awaitEnd(api.submit(TaskBuilder.cpu("true")));
        long before = harness.server().residentKib();
        var clients = new ArrayList<EventClient>();
        try {
            clients.add(EventClient.connectWithoutReading(url(harness), "/api/events"));
            for (int i = 0; i < IDLE; i++) {
                clients.add(EventClient.listen(url(harness), "/api/events"));
            }
            var listening = clients.subList(1, clients.size());
            eventually(
                    Duration.ofMinutes(3),
                    "all are greeted",
                    () -> listening.stream().noneMatch(one -> one.received("resync").isEmpty()));
            for (int i = 0; i < 50; i++) {
                api.submit(TaskBuilder.cpu("true").named("x".repeat(200)));
            }
            api.awaitEnd(api.submit(TaskBuilder.cpu("true")));
            var last = told(api, "0").getLast();
            eventually(
                    Duration.ofMinutes(3),
                    "all have heard it all",
                    () -> listening.stream().allMatch(one -> heard(one).contains(last)));
            long grown = harness.server().residentKib() - before;
            assertThat(grown).isLessThan(MOST_KIB);
        } finally {
            clients.forEach(EventClient::close);
        }
    }
}

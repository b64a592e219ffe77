package dev.berth.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.TestServer;
import dev.berth.testkit.EventClient;
import dev.berth.testkit.EventClient.ReceivedEvent;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;

/** A log that grows while a client follows it. */
class LogStreamTest {

    private TestServer server;
    private long task;
    private final List<EventClient> clients = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
        task = server.submit(TestServer.cpuTask("talks"));
    }

    @AfterEach
    void close() throws Exception {
        clients.forEach(EventClient::close);
        server.close();
    }

    private EventClient follow(String query, String... headers) {
        return listen("/api/tasks/" + task + "/logs/stream" + query, headers);
    }

    private EventClient listen(String target, String... headers) {
        var client = EventClient.listen(server.door.url(), target, headers);
        clients.add(client);
        return client;
    }

    private static JsonNode json(ReceivedEvent heard) {
        return JsonMapper.shared().readTree(heard.data());
    }

    /** What a client shows that replaces unfinished lines. */
    private static List<String> shown(EventClient client) {
        var screen = new ArrayList<String>();
        var isPartial = false;
        for (var heard : client.received("log")) {
            if (isPartial) {
                screen.removeLast();
            }
            json(heard).get("lines").forEach(line -> screen.add(line.asString()));
            isPartial = json(heard).get("partial").asBoolean();
        }
        return screen;
    }

    private static boolean shows(EventClient client, String... lines) {
        return shown(client).equals(List.of(lines));
    }

    @Test
    void sendsNewLines() {
        server.logs.print(task, "one\n");
        var client = follow("");
        client.await("it has the first", one -> shows(one, "one"));
        server.logs.print(task, "two\nthree\n");
        client.await("it has them all", one -> shows(one, "one", "two", "three"));
        assertThat(client.lastId()).isEqualTo("14");
        var last = json(client.received("log").getLast());
        assertThat(last.get("task_id").asLong()).isEqualTo(task);
        assertThat(last.get("attempt").asInt()).isEqualTo(1);
        assertThat(last.get("next_offset").asInt()).isEqualTo(14);
        assertThat(last.get("ended").asBoolean()).isFalse();
    }

    @Test
    void sendsUnfinishedLines() {
        server.logs.print(task, "a\n 10%");
        var client = follow("");
        client.await("it shows the beginning", one -> shows(one, "a", " 10%"));
        assertThat(client.lastId()).isEqualTo("2");
        server.logs.print(task, " 20%");
        client.await("it shows more", one -> shows(one, "a", " 10% 20%"));
        server.logs.print(task, " done\nb\n");
        client.await("it shows the whole line", one -> shows(one, "a", " 10% 20% done", "b"));
    }

    @Test
    void endsWhenTheTaskHasEnded() {
        server.logs.print(task, "a\nno newline");
        var client = follow("");
        client.await("it has it", one -> shows(one, "a", "no newline"));
        server.end(task, 0);
        client.await("it is over", EventClient::isEnded);
        assertThat(shown(client)).containsExactly("a", "no newline");
        assertThat(client.received().getLast()).isEqualTo(new ReceivedEvent("end", "", "{}"));
        assertThat(client.lastId()).isEqualTo("12");
        var last = json(client.received("log").getLast());
        assertThat(last.get("ended").asBoolean()).isTrue();
        assertThat(last.get("partial").asBoolean()).isFalse();
    }

    @Test
    void continuesFromAnOffset() {
        server.logs.print(task, "one\ntwo\nthree\n");
        server.end(task, 0);
        for (var client : List.of(follow("?from=4"), follow("?from=9", "Last-Event-ID: 4"))) {
            client.await("it is over", EventClient::isEnded);
            assertThat(shown(client)).containsExactly("two", "three");
        }
        var atEnd = follow("?from=14");
        atEnd.await("it is over", EventClient::isEnded);
        assertThat(shown(atEnd)).isEmpty();
        assertThat(atEnd.received("end")).hasSize(1);
    }

    @Test
    void truncatedLogIsReadFromItsStart() {
        server.logs.print(task, "a long first line\n");
        var client = follow("");
        client.await("it has it", one -> shows(one, "a long first line"));
        server.logs.texts.replaceAll((_, _) -> "anew\n");
        client.await("it has the new one", one -> shows(one, "a long first line", "anew"));
        assertThat(client.received("log")).anyMatch(one -> json(one).get("gap").asBoolean());
    }

    @Test
    void oneStreamCarriesEventsAndALog() {
        server.logs.print(task, "one\ntwo\n");
        var client = listen("/api/events?log=" + task + "&from=4");
        client.await("it has the line", one -> shows(one, "two"));
        assertThat(client.received("log").getFirst().id()).isEmpty();
        server.logs.print(task, "three\n");
        server.end(task, 0);
        client.await("it has heard of the end", one -> isOver(one));
        assertThat(shown(client)).containsExactly("two", "three");
        assertThat(client.isEnded()).isFalse();
    }

    @Test
    void unreadableLogDoesNotEndTheEvents() {
        server.logs.broken = true;
        var client = listen("/api/events?log=" + task);
        client.await("it receives the log event", one -> !one.received("log").isEmpty());
        var last = json(client.received("log").getFirst());
        assertThat(last.get("ended").asBoolean()).isTrue();
        assertThat(last.get("error").asString()).contains("told to fail");
        server.end(task, 0);
        client.await(
                "it still receives the task",
                one -> one.received("task").stream().anyMatch(LogStreamTest::isCompletion));
        assertThat(client.received("log")).hasSize(1);
        assertThat(client.isEnded()).isFalse();
    }

    private static boolean isCompletion(ReceivedEvent heard) {
        return heard.data().contains("task.completed");
    }

    private static boolean isOver(EventClient client) {
        return client.received("log").stream().anyMatch(one -> json(one).get("ended").asBoolean())
                && client.received("task").stream()
                        .anyMatch(one -> one.data().contains("task.completed"));
    }

    @Test
    void unstartedTaskHasAnEmptyLog() {
        var busy = "{\"name\":\"n\",\"command\":\"true\",\"gpu_count\":2}";
        server.submit(busy);
        long waiting = server.submit(busy);
        var client = listen("/api/tasks/" + waiting + "/logs/stream");
        client.await("it has come in", one -> !one.head().isEmpty());
        server.socket().post("/api/tasks/" + waiting + "/cancel", "");
        client.await("it is over", EventClient::isEnded);
        assertThat(json(client.received("log").getFirst()).get("attempt").isNull()).isTrue();
        assertThat(server.tcp().get("/api/tasks/99/logs/stream").status()).isEqualTo(404);
    }
}

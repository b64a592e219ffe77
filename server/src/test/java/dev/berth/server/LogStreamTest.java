package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.testkit.EventClient;
import dev.berth.testkit.EventClient.Heard;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;

/** A log as it grows, under the eyes of somebody who follows it. */
class LogStreamTest {

    private Premises premises;
    private long task;
    private final List<EventClient> clients = new ArrayList<>();

    @BeforeEach
    void open() throws Exception {
        premises = Premises.open();
        task = premises.submit(Premises.cpuTask("talks"));
    }

    @AfterEach
    void close() throws Exception {
        clients.forEach(EventClient::close);
        premises.close();
    }

    private EventClient follow(String query, String... headers) {
        return listen("/api/tasks/" + task + "/logs/stream" + query, headers);
    }

    private EventClient listen(String target, String... headers) {
        var client = EventClient.listen(premises.door.url(), target, headers);
        clients.add(client);
        return client;
    }

    private static JsonNode json(Heard heard) {
        return JsonMapper.shared().readTree(heard.data());
    }

    /** What is on the screen of a client that takes unfinished lines back. */
    private static List<String> shown(EventClient client) {
        var screen = new ArrayList<String>();
        var isPartial = false;
        for (var heard : client.heard("log")) {
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
    void newLinesComeAsTheyArePrinted() {
        premises.logs.print(task, "one\n");
        var client = follow("");
        client.await("it has the first", one -> shows(one, "one"));
        premises.logs.print(task, "two\nthree\n");
        client.await("it has them all", one -> shows(one, "one", "two", "three"));
        assertThat(client.lastId()).isEqualTo("14");
        var last = json(client.heard("log").getLast());
        assertThat(last.get("task_id").asLong()).isEqualTo(task);
        assertThat(last.get("attempt").asInt()).isEqualTo(1);
        assertThat(last.get("next_offset").asInt()).isEqualTo(14);
        assertThat(last.get("ended").asBoolean()).isFalse();
    }

    @Test
    void anUnfinishedLineIsShownAndGrows() {
        premises.logs.print(task, "a\n 10%");
        var client = follow("");
        client.await("it shows the beginning", one -> shows(one, "a", " 10%"));
        assertThat(client.lastId()).isEqualTo("2");
        premises.logs.print(task, " 20%");
        client.await("it shows more", one -> shows(one, "a", " 10% 20%"));
        premises.logs.print(task, " done\nb\n");
        client.await("it shows the whole line", one -> shows(one, "a", " 10% 20% done", "b"));
    }

    @Test
    void theEndComesWhenTheTaskIsOverAndAllIsRead() {
        premises.logs.print(task, "a\nno newline");
        var client = follow("");
        client.await("it has it", one -> shows(one, "a", "no newline"));
        premises.end(task, 0);
        client.await("it is over", EventClient::isEnded);
        assertThat(shown(client)).containsExactly("a", "no newline");
        assertThat(client.heard().getLast()).isEqualTo(new Heard("end", "", "{}"));
        assertThat(client.lastId()).isEqualTo("12");
        var last = json(client.heard("log").getLast());
        assertThat(last.get("ended").asBoolean()).isTrue();
        assertThat(last.get("partial").asBoolean()).isFalse();
    }

    @Test
    void itGoesOnFromAnOffset() {
        premises.logs.print(task, "one\ntwo\nthree\n");
        premises.end(task, 0);
        for (var client : List.of(follow("?from=4"), follow("?from=9", "Last-Event-ID: 4"))) {
            client.await("it is over", EventClient::isEnded);
            assertThat(shown(client)).containsExactly("two", "three");
        }
        var atEnd = follow("?from=14");
        atEnd.await("it is over", EventClient::isEnded);
        assertThat(shown(atEnd)).isEmpty();
        assertThat(atEnd.heard("end")).hasSize(1);
    }

    @Test
    void aLogThatBeganAnewIsReadFromItsBeginning() {
        premises.logs.print(task, "a long first line\n");
        var client = follow("");
        client.await("it has it", one -> shows(one, "a long first line"));
        premises.logs.texts.replaceAll((_, _) -> "anew\n");
        client.await("it has the new one", one -> shows(one, "a long first line", "anew"));
        assertThat(client.heard("log")).anyMatch(one -> json(one).get("gap").asBoolean());
    }

    @Test
    void oneStreamCarriesEventsAndALog() {
        premises.logs.print(task, "one\ntwo\n");
        var client = listen("/api/events?log=" + task + "&from=4");
        client.await("it has the line", one -> shows(one, "two"));
        assertThat(client.heard("log").getFirst().id()).isEmpty();
        premises.logs.print(task, "three\n");
        premises.end(task, 0);
        client.await("it has heard of the end", one -> isOver(one));
        assertThat(shown(client)).containsExactly("two", "three");
        assertThat(client.isEnded()).isFalse();
    }

    @Test
    void anUnreadableLogEndsWithoutTheEventsBesideIt() {
        premises.logs.broken = true;
        var client = listen("/api/events?log=" + task);
        client.await("it is told so", one -> !one.heard("log").isEmpty());
        var last = json(client.heard("log").getFirst());
        assertThat(last.get("ended").asBoolean()).isTrue();
        assertThat(last.get("error").asString()).contains("told to fail");
        premises.end(task, 0);
        client.await(
                "it still hears of the task",
                one -> one.heard("task").stream().anyMatch(LogStreamTest::isCompletion));
        assertThat(client.heard("log")).hasSize(1);
        assertThat(client.isEnded()).isFalse();
    }

    private static boolean isCompletion(Heard heard) {
        return heard.data().contains("task.completed");
    }

    private static boolean isOver(EventClient client) {
        return client.heard("log").stream().anyMatch(one -> json(one).get("ended").asBoolean())
                && client.heard("task").stream()
                        .anyMatch(one -> one.data().contains("task.completed"));
    }

    @Test
    void aTaskThatNeverRanHasAnEmptyLog() {
        var busy = "{\"name\":\"n\",\"command\":\"true\",\"gpu_count\":2}";
        premises.submit(busy);
        long waiting = premises.submit(busy);
        var client = listen("/api/tasks/" + waiting + "/logs/stream");
        client.await("it has come in", one -> !one.head().isEmpty());
        premises.socket().post("/api/tasks/" + waiting + "/cancel", "");
        client.await("it is over", EventClient::isEnded);
        assertThat(json(client.heard("log").getFirst()).get("attempt").isNull()).isTrue();
        assertThat(premises.tcp().get("/api/tasks/99/logs/stream").status()).isEqualTo(404);
    }
}

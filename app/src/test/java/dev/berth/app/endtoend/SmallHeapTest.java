package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import tools.jackson.databind.json.JsonMapper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A server with a small heap: what is stored or sent must not have to fit into it. */
@Tag("slow")
@ExtendWith(ServerHarnessExtension.class)
final class SmallHeapTest {

    private static final String HEAP = "-Xmx64m";

    /** A few pages of a list. All of it would need many times as much. */
    private static final String CLI_HEAP = "-Xmx32m";

    private static final int ENDED = 100_000;
    private static final int READERS = 8;
    private static final int LONG_SCRIPTS = 120;

    @Test
    void aListOfManyEndedTasksDoesNotHaveToFitIntoTheHeap(ServerHarness harness) throws Exception {
        var first = harness.start();
        long id = first.submit(TaskBuilder.cpu("true"));
        first.awaitEnd(id);
        harness.server().stop();
        StoredTasks.copy(harness, id, ENDED);

        var api = harness.jvm(HEAP).start();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var lists = new ArrayList<Future<Integer>>();
            for (int i = 0; i < READERS; i++) {
                lists.add(
                        threads.submit(
                                () ->
                                        TestApi.list(api.client().get("/api/tasks").expect(200))
                                                .size()));
            }
            for (var list : lists) {
                assertThat(list.get()).isEqualTo(1000);
            }
        }
        assertThat(harness.server().isAlive()).isTrue();
        api.awaitEnd(api.submit(TaskBuilder.cpu("true")));
    }

    @Test
    void theCommandLinePrintsALongListWithoutHoldingIt(ServerHarness harness) throws Exception {
        var first = harness.start();
        long id = first.submit(TaskBuilder.cpu("true"));
        first.awaitEnd(id);
        harness.server().stop();
        StoredTasks.copy(harness, id, ENDED);
        harness.start();

        for (var filter : List.of(List.of("--all"), List.of("--status", "completed"))) {
            var words = new ArrayList<>(List.of("ls", "--home", harness.home().toString()));
            words.addAll(filter);
            var ls =
                    ServerProcess.launch(
                            ProgramUnderTest.command(List.of(CLI_HEAP), words),
                            Map.of(),
                            harness.file("ls"));
            assertThat(ls.endsWithin(Duration.ofMinutes(2))).isTrue();
            assertThat(ls.exitValue()).as(ls.outputTail()).isZero();
            var lines = ls.stdout().lines().toList();
            assertThat(lines).hasSize(ENDED + 2);
            assertThat(lines).filteredOn(line -> line.contains("STATUS")).hasSize(1);
            assertThat(lines.getLast()).startsWith(Integer.toString(ENDED + 1));
        }
    }

    @Test
    void queuedScriptsDoNotHaveToFitIntoTheHeap(ServerHarness harness) {
        var api = harness.jvm(HEAP).start();
        api.client().post("/api/scheduler/stop", "").expect(200);
        var script = "# " + "x".repeat((1 << 20) - 100) + "\ntrue";
        var body =
                JsonMapper.shared()
                        .writeValueAsString(
                                Map.of("name", "long", "command", script, "devices", "cpu"));
        long last = 0;
        for (int i = 0; i < LONG_SCRIPTS; i++) {
            last = api.client().post("/api/tasks", body).expect(201).path("id").asLong();
        }

        assertThat(api.task(last).path("command").asString()).isEqualTo(script);
        assertThat(TestApi.list(api.client().get("/api/tasks").expect(200))).hasSize(LONG_SCRIPTS);

        // A restart does not load them either, and a start gets the whole script.
        var again = harness.restart();
        again.client().post("/api/scheduler/start", "").expect(200);
        assertThat(again.awaitEnd(last).path("status").asString()).isEqualTo("completed");
        assertThat(harness.server().isAlive()).isTrue();
    }
}

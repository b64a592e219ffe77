package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The demo: one command starts everything, and nothing is left afterwards. */
final class DemoTest {

    private static final List<String> SOME_OWNERS = List.of("alice", "bob");

    @Test
    void aDemoShowsRunningAndWaitingTasksAndLeavesNothing(@TempDir Path directory) {
        var mark = UUID.randomUUID().toString();
        var server =
                ServerProcess.launch(
                        ProgramUnderTest.command(List.of("demo", "--port", "0")),
                        Map.of("BERTH_TEST_WORLD", mark),
                        directory.resolve("demo"));
        Path home;
        try {
            var api = new TestApi(new TcpTestClient(server.awaitReady()));
            home = Path.of(api.client().get("/api/server").expect(200).path("home").asString());
            eventually("tasks run", () -> count(api, "running") >= 3);
            eventually("tasks wait", () -> count(api, "queued") >= 1);
            eventually(
                    "a command file is run",
                    () -> api.client().get("/api/scheduler/running").expect(200).size() == 1);
            assertThat(api.gpus()).hasSize(6);
            eventually("several users have tasks", () -> owners(api).containsAll(SOME_OWNERS));
        } finally {
            server.terminate();
        }
        server.awaitEnd();
        assertThat(home).doesNotExist();
        assertThat(LeftoverProcesses.marked("BERTH_TEST_WORLD=" + mark, Set.of())).isEmpty();
    }

    private static List<String> owners(TestApi api) {
        return api.tasks().stream().map(task -> task.path("owner").asString()).toList();
    }

    private static long count(TestApi api, String status) {
        return api.tasks().stream()
                .filter(task -> task.path("status").asString().equals(status))
                .count();
    }
}

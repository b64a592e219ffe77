package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;

/** A log that somebody deleted is not shown as an empty one. */
@ExtendWith(ServerHarnessExtension.class)
final class DeletedLogTest {

    private static final List<String> ROUTES =
            List.of(
                    "",
                    "?tail=5",
                    "?from=0",
                    "?from=9&partial=true",
                    "/raw",
                    "/raw?tail=5",
                    "/raw?limit=10",
                    "/stream",
                    "/section",
                    "/section?from=0",
                    "/search?q=x");

    @Test
    void everyRouteAndTheCommandSayThatTheFileIsGone(ServerHarness harness) throws IOException {
        var api = harness.start();
        long task = api.submit(TaskBuilder.cpu("echo out"));
        api.awaitEnd(task);
        Files.delete(harness.attempt(task, 1).resolve("tmux.log"));
        for (var route : ROUTES) {
            var path = "/api/tasks/" + task + "/logs" + route;
            var problem = api.client().get(path).expect(410);
            assertThat(problem.path("code").asString()).as(route).isEqualTo("log.gone");
            assertThat(problem.path("detail").asString()).contains("deleted").contains("tmux.log");
        }
        var chinese =
                api.client()
                        .send(
                                new TestClient.TestRequest(
                                        "GET",
                                        "/api/tasks/" + task + "/logs",
                                        Map.of("Accept-Language", "zh-CN"),
                                        ""));
        assertThat(chinese.expect(410).path("detail").asString()).contains("日志文件已被删除");
        var id = Long.toString(task);
        for (var options : List.of(new String[] {id}, new String[] {"-f", id})) {
            var printed = harness.command("logs", options);
            assertThat(printed.exitValue()).isEqualTo(1);
            assertThat(printed.stdout()).isEmpty();
            assertThat(printed.outputTail()).contains("The log file was deleted");
        }
    }

    @Test
    void aDirectoryThatWasDeletedIsTheSameAndATaskThatNeverBeganHasAnEmptyLog(ServerHarness harness)
            throws IOException {
        var api = harness.start();
        long task = api.submit(TaskBuilder.cpu("echo out"));
        api.awaitEnd(task);
        ServerHarness.remove(harness.tasks().resolve("task_" + task));
        var path = "/api/tasks/" + task + "/logs";
        assertThat(api.client().get(path).status()).isEqualTo(410);
        var draft = TaskBuilder.cpu("echo out").with("draft", true);
        long waiting = api.submit(draft);
        assertThat(api.client().get("/api/tasks/" + waiting + "/logs").status()).isEqualTo(200);
    }

    @Test
    void aReaderThatFollowsItLearnsOfIt(ServerHarness harness) throws IOException {
        var api = harness.start();
        var end = harness.file("end");
        long task =
                api.submit(
                        TaskBuilder.cpu("echo out; until [ -e " + end + " ]; do sleep .1; done"));
        eventually("its line is there", () -> api.log(task, 5).contains("out"));
        // Its first line may be read before the server has recorded its start.
        api.awaitPhase(task, "running");
        Files.delete(harness.attempt(task, 1).resolve("tmux.log"));
        var path = "/api/tasks/" + task + "/logs?from=4";
        assertThat(api.client().get(path).status()).isEqualTo(410);
        Files.createFile(end);
        assertThat(api.awaitEnd(task).path("status").asString()).isEqualTo("completed");
    }
}

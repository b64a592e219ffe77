package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.app.endtoend.WorkerCrashScenario.ArmTime;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.util.List;

/**
 * kill -9 at every failpoint of workers, while one worker runs a task: no worker of the killed
 * server is left, tasks fail or are retried as they say, and no task runs twice at once.
 */
@Tag("slow")
@ExtendWith(ServerHarnessExtension.class)
@Execution(ExecutionMode.CONCURRENT)
final class WorkerFailpointSweepTest {

    private static List<String> points(ArmTime stage) {
        return switch (stage) {
            case LOAD ->
                    List.of(
                            "engine.before-commit",
                            "engine.after-commit",
                            "node.before-directory",
                            "node.after-directory",
                            "node.after-spawn",
                            "shim.after-go",
                            "node.before-report",
                            "worker.before-open",
                            "worker.before-ready");
            case DISPATCH ->
                    List.of(
                            "engine.before-commit",
                            "engine.after-commit",
                            "worker.before-send",
                            "worker.after-send");
            case RESULT ->
                    List.of("worker.before-answer", "engine.before-commit", "engine.after-commit");
            case EVICT ->
                    List.of(
                            "engine.before-commit",
                            "engine.after-commit",
                            "node.before-term",
                            "node.before-report");
            case RECOVERY -> List.of("recovery.before-commit", "recovery.before-adopt");
        };
    }

    @ParameterizedTest
    @EnumSource(ArmTime.class)
    void aKillLeavesNoWorkerAndRunsNothingTwice(ArmTime stage, ServerHarness harness) {
        var scene = new WorkerCrashScenario(harness);
        for (var point : points(stage)) {
            var api = scene.killAt(point, stage);
            var other = api.awaitEnd(scene.other());
            var kept = api.awaitEnd(scene.kept());

            var where = "killed at " + point + " during " + stage + ": ";
            assertThat(kept.path("status").asString()).as(where + kept).isEqualTo("completed");
            assertThat(scene.begins(scene.kept())).as(where + "runs and is retried").isEqualTo(2);
            judge(stage, point, other, scene.begins(scene.other(), stage));
            assertThat(scene.lines("twice")).as(where).isEmpty();
            assertThat(scene.left()).as(where).isEmpty();
        }
    }

    /** It has no retries. A task with a command is none of the workers' business. */
    private static void judge(ArmTime stage, String point, JsonNode task, long begins) {
        var status = task.path("status").asString();
        if (status.equals("completed")) {
            assertThat(begins).as("killed at %s: %s", point, task).isOne();
            return;
        }
        assertThat(stage).as("killed at %s: %s", point, task).isNotEqualTo(ArmTime.EVICT);
        assertThat(status).isEqualTo("failed");
        assertThat(task.path("error").asString()).startsWith("Worker offline");
        assertThat(begins).as("killed at %s: %s", point, task).isLessThanOrEqualTo(1);
    }
}

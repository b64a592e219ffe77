package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.util.List;

/** The lines that the server itself writes, as {@code berth logs --server} shows them. */
@ExtendWith(ServerHarnessExtension.class)
final class ServerLogLinesTest {

    @Test
    void joiningTheQueueTheStartAndTheFailureAreLinesWithIdDeviceAndReason(ServerHarness harness) {
        var api = harness.simulatedGpus(2).start();
        long any = api.submit(TaskBuilder.oneGpu("exit 3").named("train"));
        api.awaitEnd(any);
        long named = api.submit(TaskBuilder.oneGpu("exit 4").with("devices", "1"));
        api.awaitEnd(named);
        eventually(
                "the last line is written", () -> !lines(harness, "task.failed", named).isEmpty());

        assertThat(lines(harness, "server.started", 0)).hasSize(1);
        assertThat(lines(harness, "task.submitted", any))
                .singleElement()
                .asString()
                .contains("name=train")
                .contains("queue=auto");
        assertThat(lines(harness, "attempt.granted", any))
                .singleElement()
                .asString()
                .contains("attempt=1")
                .containsPattern("gpus=[01]\\b");
        assertThat(lines(harness, "task.failed", any))
                .singleElement()
                .asString()
                .containsPattern("gpus=[01]\\b")
                .contains("reason=exit code 3");
        assertThat(lines(harness, "task.submitted", named))
                .singleElement()
                .asString()
                .contains("queue=1");
        assertThat(lines(harness, "task.failed", named))
                .singleElement()
                .asString()
                .contains("gpus=1,")
                .contains("reason=exit code 4");
    }

    /**
     * @param task 0 for lines of no task
     */
    private static List<String> lines(ServerHarness harness, String kind, long task) {
        var id = task == 0 ? "task=- " : "task=" + task + " ";
        return harness.run("logs", "--server", "--kind", kind)
                .lines()
                .filter(line -> line.contains(id))
                .toList();
    }
}

package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The running program records who did what, and a removal of tasks keeps these records. */
@ExtendWith(ServerHarnessExtension.class)
final class AuditTest {

    @Test
    void whatPeopleDidIsListedAlsoAfterTheTaskWasRemoved(ServerHarness harness) {
        harness.options("--gpus", "sim:1x1024").start();
        long id = harness.socket().submit(TaskBuilder.cpu("true"));
        harness.socket().awaitEnd(id);
        harness.run("rule", "gpu_left", "2");
        harness.run("rm", "--yes", Long.toString(id));

        var all = harness.run("audit");
        assertThat(all.lines().map(line -> line.substring(19)))
                .anyMatch(
                        line -> line.matches(".* \\(socket\\) +task.submitted +task=" + id + " .*"))
                .anyMatch(line -> line.matches(".* \\(socket\\) +tasks.removed +count=1 .*"))
                .anyMatch(
                        line ->
                                line.matches(
                                        ".* \\(socket\\) +rules.changed +from=1  key=gpu_left"
                                                + "  to=2"))
                .hasSize(3);
        assertThat(harness.run("audit", "--task", Long.toString(id), "--berth"))
                .contains("task.completed", "attempt.started", "berth ");

        harness.kill();
        harness.restart();
        assertThat(harness.run("audit")).isEqualTo(all);
    }
}

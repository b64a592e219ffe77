package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.berth.cli.text.TerminalWidth;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What a user sees in a real terminal. */
@ExtendWith(ServerHarnessExtension.class)
final class TerminalTest {

    private static final String LONG_NAME =
            "resnet50-imagenet-augmented-cosine-schedule-learning-rate-0.001-seed-";

    private final ServerHarness harness;

    TerminalTest(ServerHarness harness) {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "util-linux is installed");
        this.harness = harness;
    }

    private List<String> ls(int columns) {
        return PseudoTerminal.run(harness, columns, "ls").stdout().lines().toList();
    }

    @Test
    void aListFitsTheTerminalAndUsesItsWidth() {
        var api = harness.start();
        api.client().post("/api/scheduler/stop", "").expect(200);
        for (int seed = 1; seed <= 2; seed++) {
            api.submit(
                    TaskBuilder.gpus(2, "true")
                            .named(LONG_NAME + seed)
                            .with("priority", "HIGH")
                            .with("memory_gb", 8)
                            .with("lane", "nightly-experiments-of-the-group")
                            .with("timeout_seconds", 5400));
        }
        for (int columns : List.of(80, 120, 200)) {
            var lines = ls(columns);
            assertThat(lines).as("at %d columns", columns).hasSize(3);
            assertThat(lines)
                    .allSatisfy(
                            line ->
                                    assertThat(TerminalWidth.width(line))
                                            .isLessThanOrEqualTo(columns));
            assertThat(lines.get(1)).contains("seed-1").contains("queued");
            assertThat(lines.get(2)).contains("seed-2");
        }
        assertThat(ls(80).getFirst()).contains("ID", "NAME", "STATUS").doesNotContain("LIMIT");
        assertThat(ls(120).getFirst()).contains("LIMIT");
        assertThat(ls(120).get(1)).doesNotContain(LONG_NAME);
        assertThat(ls(200).get(1)).contains(LONG_NAME + 1);
    }

    @Test
    void theOutputOfATaskBeginsOnTheFirstLine() {
        var api = harness.start();
        long id = api.submit(TaskBuilder.cpu("echo first; seq 300; printf last"));
        api.awaitEnd(id);
        var task = Long.toString(id);

        var all = harness.run("logs", task).lines().toList();
        assertThat(all).hasSize(302).startsWith("first", "1").endsWith("300", "last");
        assertThat(harness.run("logs", task, "--tail", "2").lines()).containsExactly("300", "last");
        assertThat(harness.run("logs", task, "--banner").lines())
                .startsWith("===== Scheduler Environment =====")
                .contains("first", "last", "===== Command Script Exit =====");
        var terminal = PseudoTerminal.run(harness, 80, "logs", task).stdout().lines().toList();
        assertThat(terminal).hasSize(101).contains("203", "last").doesNotContain("201");
        var follow = harness.run("logs", task, "-f").lines().toList();
        assertThat(follow).isEqualTo(all);
    }

    @Test
    void theLogOfAnEarlierAttemptStays() {
        var api = harness.start();
        long id =
                api.submit(
                        TaskBuilder.cpu(
                                        "echo try; [ -e again ] || { touch again; echo no; exit 1;"
                                                + " }")
                                .with("work_dir", harness.file("").toString())
                                .with("max_retries", 1));
        api.awaitEnd(id);
        var task = Long.toString(id);

        assertThat(harness.run("logs", task)).isEqualTo("try\n");
        assertThat(harness.run("logs", task, "--attempt", "1")).isEqualTo("try\nno\n");
        assertThat(harness.command("logs", task, "--attempt", "3").stderr())
                .contains("has no attempt 3");
    }

    @Test
    void aFollowedSubmitPrintsOnlyTheOutput() throws IOException {
        harness.start();
        var script =
                Files.writeString(harness.file("a.sh"), "echo one\nsleep 1\necho two; exit 5\n");
        var submit = harness.command("submit", "--device", "cpu", "--follow", script.toString());
        assertThat(submit.exitValue()).isEqualTo(5);
        assertThat(submit.stdout()).isEqualTo("one\ntwo\n");
        assertThat(submit.stderr()).startsWith("berth: task 1\n").contains("exit code 5");
    }

    @Test
    void anInterruptedWaitSaysThatTheTaskContinues() throws IOException {
        var api = harness.start();
        long id = api.submit(TaskBuilder.cpu("sleep 600"));
        var wait =
                ServerProcess.launch(
                        ProgramUnderTest.command(
                                List.of(
                                        "wait",
                                        Long.toString(id),
                                        "--home",
                                        harness.home().toString())),
                        Map.of(),
                        harness.file("wait"));
        eventually("it waits", () -> hasSocket(wait));
        wait.terminate();
        wait.awaitEnd();
        assertThat(wait.stderr()).contains("task " + id + " continues", "berth cancel " + id);
        assertThat(api.status(id)).isEqualTo("running");
        api.cancel(id);
        api.awaitEnd(id);
    }

    /** It has connected to the server, so it has begun to wait. */
    private static boolean hasSocket(ServerProcess process) throws IOException {
        try (var descriptors = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return descriptors.anyMatch(
                    descriptor -> {
                        try {
                            return Files.readSymbolicLink(descriptor)
                                    .toString()
                                    .startsWith("socket:");
                        } catch (IOException closed) {
                            return false;
                        }
                    });
        }
    }
}

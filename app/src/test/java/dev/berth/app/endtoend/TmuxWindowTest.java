package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The tmux window of a running task, in a tmux server of this test. */
@ExtendWith(ServerHarnessExtension.class)
final class TmuxWindowTest {

    private final ServerHarness harness;

    TmuxWindowTest(ServerHarness harness) {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/tmux")), "tmux is installed");
        this.harness = harness.env("TMUX_TMPDIR", harness.file("").toString());
    }

    @AfterEach
    void endTheServers() {
        tmux("kill-server");
        tmuxOf("default", "kill-server");
    }

    @Test
    void aRunningTaskHasAWindowThatShowsItsOutputAndGoesWithIt() throws IOException {
        var api = harness.env("BERTH_RUNNER", "auto").start();
        long id = api.submit(TaskBuilder.oneGpu("echo looked at; sleep 600"));

        eventually("the window is there", () -> tmux("ls").contains("task_" + id + ":"));
        eventually(
                "it shows the log",
                () -> tmux("capture-pane", "-p", "-t", "=task_" + id + ":").contains("looked at"));
        assertThat(api.task(id).path("tmux_session").asString()).isEqualTo("task_" + id);

        api.cancel(id);
        api.awaitEnd(id);
        eventually("the window is gone", () -> !tmux("ls").contains("task_" + id + ":"));
    }

    @Test
    void attachShowsTheWindowInATerminal() throws IOException {
        var api = harness.env("BERTH_RUNNER", "auto").start();
        long id = api.submit(TaskBuilder.oneGpu("while sleep 0.2; do echo live output; done"));
        eventually("the window is there", () -> tmux("ls").contains("task_" + id + ":"));

        attachInATerminal(id);

        eventually(
                "the terminal shows the task",
                () -> tmux("capture-pane", "-p", "-t", "=mine:").contains("live output"));
        api.cancel(id);
        api.awaitEnd(id);
    }

    @Test
    void attachShowsAWindowOfVersion010InTheUsersOwnTmuxServer() throws IOException {
        var api = harness.env("BERTH_RUNNER", "auto").start();
        long id = api.submit(TaskBuilder.oneGpu("sleep 600"));
        eventually("the window is there", () -> tmux("ls").contains("task_" + id + ":"));
        tmux("new-session", "-d", "-s", "other", "sleep", "600");
        tmux("kill-session", "-t", "=task_" + id);
        tmuxOf("default", "new-session", "-d", "-s", "task_" + id, "echo an old window; sleep 600");

        attachInATerminal(id);

        eventually(
                "the terminal shows the task",
                () -> tmux("capture-pane", "-p", "-t", "=mine:").contains("an old window"));
        api.cancel(id);
        api.awaitEnd(id);
    }

    /** In the session {@code mine}, as if it were a terminal without tmux. */
    private void attachInATerminal(long id) throws IOException {
        var words = new ArrayList<>(List.of("new-session", "-d", "-s", "mine"));
        words.addAll(List.of("-x", "100", "-y", "30", "env", "-u", "TMUX"));
        words.addAll(
                ProgramUnderTest.command(
                        List.of("attach", Long.toString(id), "--home", harness.home().toString())));
        tmux(words.toArray(String[]::new));
    }

    @Test
    void theDeathOfTmuxChangesNothing() throws IOException {
        var api = harness.env("BERTH_RUNNER", "auto").start();
        long id = api.submit(TaskBuilder.oneGpu("sleep 2; echo went on"));
        eventually("the window is there", () -> tmux("ls").contains("task_" + id));

        tmux("kill-server");

        assertThat(api.awaitEnd(id).path("status").asString()).isEqualTo("completed");
        assertThat(TaskLifecycleTest.between(api.log(id, 100))).containsExactly("went on");
    }

    @Test
    void aTakenNameIsLeftAloneAndAnotherIsUsed() throws IOException {
        tmux("new-session", "-d", "-s", "task_1", "sleep", "600");
        var api = harness.env("BERTH_RUNNER", "auto").start();
        long id = api.submit(TaskBuilder.oneGpu("sleep 600"));
        assertThat(id).isEqualTo(1);

        eventually(
                "another name is shown",
                () -> api.task(id).path("tmux_session").asString().startsWith("task_1_"));
        api.cancel(id);
        api.awaitEnd(id);

        eventually("its own window is gone", () -> !tmux("ls").contains("task_1_"));
        assertThat(tmux("ls")).contains("task_1:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "tmux"})
    void aWindowEndsWithItsTaskAlthoughNoServerRuns(String runner) throws IOException {
        var api = harness.env("BERTH_RUNNER", runner).start();
        var gate = harness.file("gate");
        long id = api.submit(TaskBuilder.oneGpu("until [[ -e " + gate + " ]]; do sleep 0.1; done"));
        api.awaitPhase(id, "running");
        eventually("the window is there", () -> tmux("ls").contains("task_" + id));
        harness.kill();
        assertThat(tmux("ls")).contains("task_" + id);

        TaskLifecycleTest.touch(gate);

        eventually("the window is gone", () -> !tmux("ls").contains("task_" + id));
    }

    @Test
    void aWindowIsClosedByTheServerThatFindsItsTaskEnded() throws IOException {
        var api = harness.env("BERTH_RUNNER", "auto").start();
        long id = api.submit(TaskBuilder.oneGpu("sleep 2"));
        eventually("the window is there", () -> tmux("ls").contains("task_" + id));
        harness.kill();
        eventually(
                "the task has ended",
                () -> Files.exists(harness.attempt(id, 1).resolve("exit_code")));

        assertThat(harness.start().awaitEnd(id).path("status").asString()).isEqualTo("completed");

        eventually("the window is gone", () -> !tmux("ls").contains("task_" + id));
    }

    @Test
    void withRunnerTmuxAFailingTmuxKeepsTasksWaitingWithItsOwnMessage() {
        var api = harness.env("BERTH_RUNNER", "tmux").env("BERTH_TMUX_PATH", "/bin/false").start();
        long id = api.submit(TaskBuilder.oneGpu("true"));

        eventually(
                "the reason names tmux",
                () -> api.task(id).path("wait_reasons").toString().contains("tmux"));
        assertThat(api.task(id).path("status").asString()).isEqualTo("queued");
    }

    @Test
    void withRunnerAutoAFailingTmuxIsAWarning() {
        var api = harness.env("BERTH_RUNNER", "auto").env("BERTH_TMUX_PATH", "/bin/false").start();
        long id = api.submit(TaskBuilder.oneGpu("sleep 1; echo worked"));

        var task = api.awaitEnd(id);

        assertThat(task.path("status").asString()).isEqualTo("completed");
        assertThat(task.path("tmux_session").isNull()).isTrue();
        assertThat(harness.server().outputTail()).contains("has no window");
    }

    private String tmux(String... words) {
        return tmuxOf("berth", words);
    }

    private String tmuxOf(String server, String... words) {
        var command = new ArrayList<>(List.of("/usr/bin/tmux", "-L", server));
        command.addAll(List.of(words));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("TMUX_TMPDIR", harness.file("").toString());
        builder.environment().remove("TMUX");
        try {
            var process = builder.start();
            var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return said;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("running tmux", e);
        }
    }
}

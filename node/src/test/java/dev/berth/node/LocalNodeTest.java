package dev.berth.node;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.diagnosis.Cause;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.Node;
import dev.berth.node.card.CardSettings;
import dev.berth.node.card.CardSource;
import dev.berth.node.shim.CommandSettings;
import dev.berth.node.window.Windows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a node finds out about attempts that it really runs. */
class LocalNodeTest {

    @TempDir Path directory;
    private final List<Fact> facts = new CopyOnWriteArrayList<>();
    private LocalNode node;
    private int tasks;

    @BeforeEach
    void start() throws IOException {
        node =
                LocalNode.start(
                        new LocalNode.Settings(
                                "local",
                                directory,
                                CardSettings.of(new CardSource.None()),
                                Duration.ofMillis(300),
                                16,
                                CommandSettings.NONE,
                                new Windows.Settings(Windows.When.NEVER, Optional.empty()),
                                Duration.ofMinutes(10)),
                        Failpoints.NONE);
        node.reportTo(facts::add);
    }

    @AfterEach
    void close() throws IOException {
        node.close();
    }

    @Test
    void saysWhyAnAttemptFailed() {
        var ended = end(launch("echo 'RuntimeError: CUDA out of memory.'; exit 1"));

        assertThat(ended.ending()).isEqualTo(new Ending.Exited(1));
        assertThat(ended.findings().diagnosis())
                .contains(new Diagnosis(Cause.OOM, "RuntimeError: CUDA out of memory."));
    }

    @Test
    void whatTheShimPrintsIsNoReason() {
        assertThat(end(launch("echo no luck; exit 1")).findings().diagnosis()).isEmpty();
    }

    @Test
    void namesACommandThatIsNotThere() {
        var found = end(launch("no-such-program --fast")).findings().diagnosis().orElseThrow();

        assertThat(found.cause()).isEqualTo(Cause.COMMAND_MISSING);
        assertThat(found.line()).endsWith(": no-such-program: command not found");
        assertThat(found.params()).containsEntry("command", "no-such-program");
    }

    @Test
    void saysNothingOfOneThatEndedWell() {
        var ended = end(launch("echo 'RuntimeError: CUDA out of memory.'"));

        assertThat(ended.ending()).isEqualTo(new Ending.Exited(0));
        assertThat(ended.findings().diagnosis()).isEmpty();
    }

    @Test
    void saysNothingOfOneThatWasStopped() {
        var id = launch("echo 'RuntimeError: CUDA out of memory.'; sleep 600; exit 1");
        eventually("it has printed", () -> !node.logs().tail(id, 1).lines().isEmpty());
        node.stop(id);

        assertThat(end(id).findings().diagnosis()).isEmpty();
    }

    @Test
    void tellsTheEndAlsoWhereTheLogCannotBeRead() {
        var log = "task_1/attempts/1/tmux.log";
        var ended = end(launch("rm " + log + " && mkdir " + log + " && exit 3"));

        assertThat(ended.ending()).isEqualTo(new Ending.Exited(3));
        assertThat(ended.findings().diagnosis()).isEmpty();
    }

    @Test
    void tellsHowFarARunningAttemptHasCome() {
        var id = launch("printf ' 45%%|####  | 450/1000 [01:23<01:41, 5.42it/s]'; sleep 600");

        int percent =
                present(
                        "its progress",
                        () ->
                                facts.stream()
                                        .filter(Fact.Progressed.class::isInstance)
                                        .map(Fact.Progressed.class::cast)
                                        .filter(fact -> fact.attempt().equals(id))
                                        .map(fact -> fact.progress().percent())
                                        .findFirst());
        assertThat(percent).isEqualTo(45);
        node.stop(id);
        end(id);
    }

    private AttemptId launch(String command) {
        tasks++;
        var id = new AttemptId(new TaskId(tasks), 1);
        var attempt =
                new Attempt(
                        id,
                        "local",
                        1,
                        node.bootId(),
                        List.of(),
                        Instant.now(),
                        new Phase.Starting());
        var spec = TaskSpec.of("t", command, Need.CPU, directory.toString());
        node.launch(new Node.Launch(attempt, spec, List.of(), Node.Terms.USUAL));
        return id;
    }

    private Fact.Ended end(AttemptId id) {
        return present(
                "the end of " + id,
                () ->
                        facts.stream()
                                .filter(Fact.Ended.class::isInstance)
                                .map(Fact.Ended.class::cast)
                                .filter(fact -> fact.attempt().equals(id))
                                .findFirst());
    }
}

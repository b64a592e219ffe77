package dev.berth.node;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.TaskSpec;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.node.gpu.GpuSettings;
import dev.berth.node.gpu.GpuSource;
import dev.berth.node.shim.CommandSettings;
import dev.berth.node.window.TmuxWindows;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.Node;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a node reports about attempts that really run. */
class LocalNodeTest {

    @TempDir Path directory;
    private final List<Fact> facts = new CopyOnWriteArrayList<>();
    private final Map<String, CompletableFuture<ScriptReport>> reports = new ConcurrentHashMap<>();
    private LocalNode node;
    private int tasks;

    @BeforeEach
    void start() throws IOException {
        node =
                LocalNode.start(
                        new LocalNode.NodeSettings(
                                "local",
                                directory,
                                GpuSettings.of(new GpuSource.None()),
                                Duration.ofMillis(300),
                                16,
                                CommandSettings.NONE,
                                new TmuxWindows.WindowSettings(
                                        TmuxWindows.WindowMode.NEVER, Optional.empty()),
                                Duration.ofMinutes(10)),
                        Failpoints.NONE,
                        key -> Optional.ofNullable(reports.get(key)).map(CompletableFuture::join));
        node.reportTo(facts::add);
    }

    @AfterEach
    void close() throws IOException {
        node.close();
    }

    @Test
    void diagnosesAFailedAttempt() {
        var ended = end(launch("echo 'RuntimeError: CUDA out of memory.'; exit 1"));

        assertThat(ended.ending()).isEqualTo(new Ending.Exited(1));
        assertThat(ended.findings().diagnosis())
                .contains(new Diagnosis(Cause.OOM, "RuntimeError: CUDA out of memory."));
    }

    @Test
    void ignoresMessagesOfTheShim() {
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
    void givesNoDiagnosisForASuccessfulAttempt() {
        var ended = end(launch("echo 'RuntimeError: CUDA out of memory.'"));

        assertThat(ended.ending()).isEqualTo(new Ending.Exited(0));
        assertThat(ended.findings().diagnosis()).isEmpty();
    }

    @Test
    void givesNoDiagnosisForAStoppedAttempt() {
        var id = launch("echo 'RuntimeError: CUDA out of memory.'; sleep 600; exit 1");
        eventually("it has printed", () -> !node.logs().tail(id, 1).lines().isEmpty());
        node.stop(id);

        assertThat(end(id).findings().diagnosis()).isEmpty();
    }

    @Test
    void reportsTheEndIfTheLogCannotBeRead() {
        var log = "task_1/attempts/1/tmux.log";
        var ended = end(launch("rm " + log + " && mkdir " + log + " && exit 3"));

        assertThat(ended.ending()).isEqualTo(new Ending.Exited(3));
        assertThat(ended.findings().diagnosis()).isEmpty();
    }

    @Test
    void reportsProgressOfARunningAttempt() {
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

    @Test
    void theEndCarriesWhatTheScriptReported() {
        var report = new ScriptReport(false, Optional.of("oom"), Instant.EPOCH);
        reports.put("1-0", CompletableFuture.completedFuture(report));

        assertThat(end(launch("true", Optional.of("1-0"))).report()).contains(report);
        assertThat(end(launch("true", Optional.of("2-0"))).report()).isEmpty();
    }

    @Test
    void aReportIsWaitedForAndHoldsUpNothingElse() {
        var report = new ScriptReport(true, Optional.empty(), Instant.EPOCH);
        var slow = new CompletableFuture<ScriptReport>();
        reports.put("1-0", slow);
        var waiting = launch("true", Optional.of("1-0"));

        assertThat(end(launch("exit 5")).ending()).isEqualTo(new Ending.Exited(5));
        assertThat(facts)
                .noneMatch(
                        fact ->
                                fact instanceof Fact.Ended ended
                                        && ended.attempt().equals(waiting));

        slow.complete(report);
        assertThat(end(waiting).report()).contains(report);
    }

    private AttemptId launch(String command) {
        return launch(command, Optional.empty());
    }

    private AttemptId launch(String command, Optional<String> reportKey) {
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
        node.launch(new Node.Launch(attempt, spec, List.of(), Node.LaunchTerms.DEFAULT, reportKey));
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

package dev.berth.node;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.berth.node.process.Proc;
import dev.berth.node.shim.ShimChoice;
import dev.berth.node.shim.ShimChoices;
import dev.berth.node.window.TmuxWindows;
import dev.berth.node.worker.WorkerSettings;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.Node;
import dev.berth.port.read.TaskLogs;
import dev.berth.port.read.TaskLogs.LogPart;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** What a node reports about attempts that really run. */
@ParameterizedClass
@EnumSource(names = {"NATIVE", "BASH"})
class LocalNodeTest {

    @Parameter ShimChoice choice;
    @TempDir Path directory;
    private final List<Fact> facts = new CopyOnWriteArrayList<>();
    private final Map<String, CompletableFuture<ScriptReport>> reports = new ConcurrentHashMap<>();
    private LocalNode node;
    private int tasks;

    /** The next server uses the other shim than the attempts that it finds. */
    private int servers;

    @BeforeEach
    void start() throws IOException {
        var shim = ShimChoices.require(choice);
        var commands = ShimChoices.settings(servers++ % 2 == 0 ? shim : ShimChoices.other(shim));
        node =
                LocalNode.start(
                        new LocalNode.NodeSettings(
                                "local",
                                directory,
                                GpuSettings.of(new GpuSource.None()),
                                Duration.ofMillis(300),
                                16,
                                commands,
                                new TmuxWindows.WindowSettings(
                                        TmuxWindows.WindowMode.NEVER, Optional.empty()),
                                Duration.ofMinutes(10),
                                WorkerSettings.DEFAULT,
                                Optional.empty()),
                        Failpoints.NONE,
                        key -> Optional.ofNullable(reports.get(key)).map(CompletableFuture::join));
        node.reportTo(facts::add);
    }

    @AfterEach
    void close() throws IOException {
        if (node != null) {
            node.close();
        }
    }

    @Test
    void aDirectoryThatAnotherProcessHoldsIsNotUsed() throws Exception {
        var other = new ProcessBuilder("sleep", "600").start();
        try {
            var key = Proc.key(Proc.bootId(), other.pid()).orElseThrow();
            var attempts = Files.createDirectories(directory.resolve("task_1/attempts/1"));
            Files.writeString(
                    attempts.resolve("go"),
                    key.pid() + " " + key.startTick() + " " + key.bootId() + "\n");
            var id = launch("touch started");

            present("it is lost", () -> facts(Fact.Lost.class, id));
            assertThat(directory.resolve("task_1/attempts/1/run.sh")).doesNotExist();
            assertThat(other.isAlive()).isTrue();
        } finally {
            other.destroyForcibly();
        }
    }

    @Test
    void aDirectoryThatWasUsedBeforeIsNotUsedAgain() throws Exception {
        var attempts = Files.createDirectories(directory.resolve("task_1/attempts/1"));
        Files.writeString(attempts.resolve("go"), "1 999999999999 " + Proc.bootId() + "\n");
        Files.writeString(attempts.resolve("exit_code"), "0\n");

        assertThat(end(launch("exit 3")).ending()).isEqualTo(new Ending.NeverStarted());
    }

    /** The first start creates directories for the next ones. */
    @Test
    void aTaskRunsInADirectoryThatWasCreatedAhead() throws Exception {
        end(launch("echo first"));
        var spare = directory.resolve(".spare");
        eventually("there are spare directories", () -> count(spare) == 8);
        var before = inodes(spare);

        assertThat(end(launch("echo second; exit 4")).ending()).isEqualTo(new Ending.Exited(4));
        var log = directory.resolve("task_2/tmux.log");
        assertThat(before).contains(Files.getAttribute(log, "unix:ino"));
        assertThat(log).content().contains("\nsecond\n");
        assertThat(directory.resolve("task_2/command.sh")).content().contains("echo second");
        assertThat(directory.resolve("task_2/exit_code")).hasContent("4\n");
        eventually("it is replaced", () -> count(spare) == 8);
    }

    private static List<Object> inodes(Path spare) throws IOException {
        var inodes = new ArrayList<Object>();
        try (var directories = Files.newDirectoryStream(spare)) {
            for (var one : directories) {
                inodes.add(Files.getAttribute(one.resolve("tmux.log"), "unix:ino"));
            }
        }
        return inodes;
    }

    /** Those that are complete: the last link is there. */
    private static long count(Path spare) throws IOException {
        if (!Files.exists(spare)) {
            return 0;
        }
        try (var entries = Files.list(spare)) {
            return entries.map(one -> one.resolve("exit_code"))
                    .filter(Files::isSymbolicLink)
                    .count();
        }
    }

    @Test
    void aRecordedShimDecidesIfGoNamesAnotherProcess() throws Exception {
        var id = launch("sleep 600");
        var process = present("it runs", () -> facts(Fact.Started.class, id)).process();
        var go = directory.resolve("task_1/attempts/1/go");
        var text = Files.readString(go);
        Files.writeString(go, text.replaceFirst("^\\d+", "1"));
        var attempt =
                new Attempt(
                        id,
                        "local",
                        1,
                        node.bootId(),
                        List.of(),
                        Instant.EPOCH,
                        new Phase.Running(process));

        node.adopt(attempt, Optional.empty(), Optional.empty());

        assertThat(present("it is adopted", () -> facts(Fact.Adopted.class, id)).process().key())
                .isEqualTo(process.key());
        node.stop(id);
        eventually(
                "both watchers have seen its end",
                () -> facts.stream().filter(Fact.Ended.class::isInstance).count() == 2);
    }

    private <T extends Fact> Optional<T> facts(Class<T> kind, AttemptId id) {
        return facts.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .filter(fact -> attemptOf(fact).equals(id))
                .findFirst();
    }

    private static AttemptId attemptOf(Fact fact) {
        return switch (fact) {
            case Fact.Lost(var attempt, _) -> attempt;
            case Fact.Started(var attempt, _) -> attempt;
            case Fact.Adopted(var attempt, _) -> attempt;
            default -> throw new IllegalArgumentException(fact.toString());
        };
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
        eventually(
                "it has printed", () -> !node.logs().tail(id, LogPart.WHOLE, 1).lines().isEmpty());
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
    void aLogThatItsTaskReplacedByAFifoBlocksNobody() {
        var log = "task_1/attempts/1/tmux.log";
        var id = launch("rm " + log + " && mkfifo " + log + " && exit 3");

        assertThat(end(id).ending()).isEqualTo(new Ending.Exited(3));
        assertThatThrownBy(() -> node.logs().tail(id, LogPart.WHOLE, 10))
                .isInstanceOf(TaskLogs.LogUnreadable.class)
                .hasMessageContaining("is not a regular file");
        assertThatThrownBy(() -> node.logs().from(id, LogPart.WHOLE, 0, true))
                .isInstanceOf(TaskLogs.LogUnreadable.class);
    }

    @Test
    void fifosInPlaceOfItsOtherFilesDoNotHoldUpTheEnd() {
        var id =
                launch(
                        "cd task_1/attempts/1 && rm -f command.end && mkfifo command.end exit_code"
                                + " tmux.log.gaps && exit 4");

        assertThat(end(id).ending()).isEqualTo(new Ending.Exited(4));
    }

    @Test
    void aTaskThatDeletedItsDirectoryEndsWithItsExitCode() {
        assertThat(end(launch("rm -r task_1; exit 3")).ending()).isEqualTo(new Ending.Exited(3));
        assertThat(end(launch("rm -r task_2; sleep 0.5; exit 0")).ending())
                .isEqualTo(new Ending.Exited(0));
    }

    @Test
    void aTaskThatDeletedItsDirectoryAndWasKilledHasNoExitCode() {
        var ended = end(launch("sleep 0.5; rm -r task_1; kill -9 $PPID; sleep 600"));

        assertThat(ended.ending().error())
                .isEqualTo("ended with no exit code: its directory was deleted");
    }

    /** A server that is killed right after a start has not linked the files. */
    @Test
    void theFilesOfAnAdoptedAttemptAreLinked() throws IOException {
        var id = launch("sleep 600");
        present("its start", () -> facts(Fact.Started.class, id));
        node.close();
        facts.clear();
        var link = directory.resolve("task_1/tmux.log");
        Files.delete(link);
        start();
        node.adopt(attempt(id), Optional.empty(), Optional.empty());
        present("it is adopted", () -> facts(Fact.Adopted.class, id));

        assertThat(link).isSymbolicLink().exists();
        node.stop(id);
        end(id);
    }

    @Test
    void aLostAttemptIsFoundAgainWhenItsFilesCanBeRead() throws IOException {
        var id = launch("sleep 600");
        var started =
                present(
                        "its start",
                        () -> of(Fact.Started.class).findFirst().map(Fact.Started::process));
        var go = directory.resolve("task_1/attempts/1/go");
        var content = Files.readString(go);
        node.close();
        facts.clear();
        Files.delete(go);
        Files.createDirectory(go);
        start();
        node.adopt(attempt(id), Optional.empty(), Optional.empty());
        present("the loss", () -> of(Fact.Lost.class).findFirst());

        Files.delete(go);
        Files.writeString(go, content);
        var adopted = present("the return", () -> of(Fact.Adopted.class).findFirst());
        assertThat(adopted.process().key()).isEqualTo(started.key());
        assertThat(of(Fact.Lost.class)).hasSize(1);
        node.stop(id);
        end(id);
    }

    @Test
    void anAttemptWhoseGoIsAFifoIsLostAtOnceAndCanBeResolved() throws Exception {
        var id = new AttemptId(new TaskId(1), 1);
        var attempts = Files.createDirectories(directory.resolve("task_1/attempts/1"));
        new ProcessBuilder("mkfifo", attempts.resolve("go").toString()).start().waitFor();
        var process = new ProcessBuilder("sleep", "600").start();
        node.adopt(attempt(id), Optional.empty(), Optional.empty());
        var lost = present("the loss", () -> of(Fact.Lost.class).findFirst());
        assertThat(lost.why()).contains("is damaged");
        assertThat(node.attemptProcesses().alive(id)).isEmpty();
        assertThat(node.attemptProcesses().named(process.pid() + 1_000_000)).isEmpty();

        var named = node.attemptProcesses().named(process.pid()).orElseThrow().process();
        node.watch(id, named);
        assertThat(present("the watch", () -> of(Fact.Adopted.class).findFirst()).process().key())
                .isEqualTo(named.key());
        process.destroyForcibly().waitFor();
        assertThat(end(id).ending()).isEqualTo(new Ending.Vanished());
    }

    private <T extends Fact> Stream<T> of(Class<T> type) {
        return facts.stream().filter(type::isInstance).map(type::cast);
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
        var attempt = attempt(id);
        var spec = TaskSpec.of("t", command, Need.CPU, directory.toString());
        node.launch(new Node.Launch(attempt, spec, List.of(), Node.LaunchTerms.DEFAULT, reportKey));
        return id;
    }

    private Attempt attempt(AttemptId id) {
        return new Attempt(
                id, "local", 1, node.bootId(), List.of(), Instant.now(), new Phase.Starting());
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

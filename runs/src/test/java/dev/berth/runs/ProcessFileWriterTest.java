package dev.berth.runs;

import static dev.berth.testkit.Eventually.eventually;
import static dev.berth.testkit.Eventually.present;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.commandfile.Block;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineReply;
import dev.berth.node.linux.FileExchange;
import dev.berth.testengine.TestEngine;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeLeftovers;
import dev.berth.testkit.node.ScriptedNode;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** The process file of a server whose tasks start and end as the test controls. */
class ProcessFileWriterTest {

    private static final Owner ANN = Owner.unix("ann");

    @TempDir private Path directory;
    private Path home;
    private Path file;
    private TestEngine engine;
    private ProcessFileWriter writer;

    @BeforeEach
    void open() {
        open("first", new MemoryStore());
    }

    private void open(String name, MemoryStore store) {
        home = directory.resolve(name);
        file = home.resolve("logs/uni_id.json");
        createDirectory(home);
        var processes = new ProcessFile(() -> file, FileExchange::exchange);
        var reports =
                new ProcessFileReports(
                        processes, InstantSource.system(), Thread::startVirtualThread);
        engine = new TestEngine(store, TestEngine.Options.DEFAULT.withReports(reports::of));
        writer = ProcessFileWriter.open(processes, engine.loop, store, FakeLeftovers::shell);
    }

    private static void createDirectory(Path path) {
        try {
            Files.createDirectories(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lanes leave one GPU to others. */
    private void putInAThirdCard() {
        engine.node.read(3);
        eventually("a third card", () -> engine.loop.state().gpus().size() == 3);
    }

    @AfterEach
    void close() {
        writer.close();
        engine.close();
    }

    @Test
    void aRecordHasThePidOfTheShellAndThenEnds() {
        var task = task(run("true"));
        var uniId = task.uniId();

        var record = record(uniId, "running");
        assertThat(record.path("pid").asLong()).isEqualTo(shell(task));
        assertThat(record.path("retry_count").asInt()).isZero();
        assertThat(record.has("error_type")).isFalse();

        engine.node.end(attempt(task, 1), 0);

        record = record(uniId, "normal_exit");
        assertThat(record.path("pid").asLong()).isEqualTo(shell(task));
        assertThat(record.has("error_type")).isFalse();
    }

    @Test
    void aRetryGetsANewRecordAndTheOldOneStays() {
        var task = task(run("false"));
        record(task.uniId(0), "running");

        engine.node.end(attempt(task, 1), 3);

        assertThat(record(task.uniId(0), "abnormal_exit").path("error_type").asString())
                .isEqualTo("exit_3");
        assertThat(record(task.uniId(1), "running").path("retry_count").asInt()).isEqualTo(1);

        engine.node.neverStarted(attempt(task, 2));
        awaitRunning(attempt(task, 3));
        engine.node.end(attempt(task, 3), 1);

        record(task.uniId(2), "running");
        assertThat(record(task.uniId(1), "abnormal_exit").path("error_type").asString())
                .as("the third attempt was the second try")
                .isEqualTo("exit_1");
    }

    @Test
    void theScriptReportDecidesAndStaysUnchanged() {
        putInAThirdCard();
        var tasks = tasks(run("one", "two"));
        var bad = tasks.get(0);
        var good = tasks.get(1);
        record(bad.uniId(), "running");
        record(good.uniId(), "running");

        edit(
                tree -> {
                    tree.withObject("/" + bad.uniId())
                            .put("state", "abnormal_exit")
                            .put("error_type", "oom")
                            .put("note", "mine");
                    tree.withObject("/" + good.uniId()).put("state", "normal_exit");
                });
        eventually(
                "both are heard",
                () -> said(attempt(bad, 1)).isPresent() && said(attempt(good, 1)).isPresent());
        engine.node.end(attempt(bad, 1), 0);
        engine.node.end(attempt(good, 1), 9);

        record(bad.uniId(1), "running");
        assertThat(record(bad.uniId(0), "abnormal_exit").path("error_type").asString())
                .isEqualTo("oom");
        assertThat(record(bad.uniId(0), "abnormal_exit").path("note").asString()).isEqualTo("mine");
        record(good.uniId(), "normal_exit");
        eventually("it is over", () -> !engine.loop.state().tasks().contains(good.id()));
    }

    @Test
    void aReportJustBeforeTheEndIsRead() {
        var task = task(run("one"));
        record(task.uniId(), "running");

        edit(tree -> tree.withObject("/" + task.uniId()).put("state", "normal_exit"));
        engine.node.end(attempt(task, 1), 1);

        eventually("it is over", () -> !engine.loop.state().tasks().contains(task.id()));
        record(task.uniId(), "normal_exit");
        assertThat(engine.store.find(task.id()).orElseThrow().task().state().apiName())
                .isEqualTo("completed");
    }

    @Test
    void droppedRecordsAreRestoredAndAdditionsKept() {
        putInAThirdCard();
        var tasks = tasks(run("one", "two"));
        var over = tasks.get(0);
        record(over.uniId(), "running");
        record(tasks.get(1).uniId(), "running");
        engine.node.end(attempt(over, 1), 0);
        record(over.uniId(), "normal_exit");

        edit(
                tree -> {
                    tree.remove(tasks.get(1).uniId());
                    tree.withObject("/" + over.uniId()).put("state", "running").put("pid", 1);
                    tree.putObject("theirs").put("state", "running").put("pid", 1);
                });

        assertThat(record(over.uniId(), "normal_exit").path("pid").asLong())
                .as("what a script says of the process is its own affair")
                .isEqualTo(1);
        assertThat(record(tasks.get(1).uniId(), "running").path("pid").asLong())
                .isEqualTo(shell(tasks.get(1)));
        assertThat(tree().path("theirs").path("pid").asInt()).isEqualTo(1);
    }

    @Test
    void aBrokenFileIsMovedAsideAndRecreated() throws Exception {
        var task = task(run("one"));
        record(task.uniId(), "running");

        Files.writeString(file, "no more");

        record(task.uniId(), "running");
        var aside = file.resolveSibling("uni_id.json.broken-1");
        eventually("it is set aside", () -> Files.exists(aside));
        assertThat(aside).hasContent("no more");
    }

    @Test
    void tasksRunWithoutTheFileAndItIsCreatedLater() throws Exception {
        Files.writeString(home.resolve("logs"), "not a directory");

        putInAThirdCard();
        var tasks = tasks(run("one", "two"));
        awaitRunning(attempt(tasks.get(0), 1));
        engine.node.end(attempt(tasks.get(0), 1), 0);
        eventually("it is over", () -> !engine.loop.state().tasks().contains(tasks.get(0).id()));

        Files.delete(home.resolve("logs"));
        record(tasks.get(0).uniId(), "normal_exit");
        record(tasks.get(1).uniId(), "running");
    }

    @Test
    void theNextServerWritesAllTriesOfLiveRuns() throws Exception {
        var task = task(run("false"));
        record(task.uniId(0), "running");
        engine.node.end(attempt(task, 1), 3);
        record(task.uniId(1), "running");

        // It has a separate home, and so no file yet.
        close();
        open("second", engine.store.forAnotherServer());

        assertThat(record(task.uniId(1), "running").path("retry_count").asInt()).isEqualTo(1);
        assertThat(record(task.uniId(0), "abnormal_exit").path("error_type").asString())
                .isEqualTo("exit_3");
    }

    @Test
    void recordsOfAnEndedRunAreNoLongerMaintained() {
        var task = task(run("one"));
        record(task.uniId(), "running");
        engine.node.end(attempt(task, 1), 0);
        record(task.uniId(), "normal_exit");
        eventually("the run is over", () -> engine.loop.state().durable().fileRuns().isEmpty());

        var other = task(run("two"));
        record(other.uniId(), "running");
        edit(tree -> tree.remove(task.uniId()));
        edit(tree -> tree.remove(other.uniId()));

        record(other.uniId(), "running");
        assertThat(tree().has(task.uniId())).isFalse();
    }

    @Test
    void oldEndedRecordsAreRemovedFromATooLargeFile() {
        var task = task(run("false"));
        engine.node.end(attempt(task, 1), 3);
        record(task.uniId(0), "abnormal_exit");
        record(task.uniId(1), "running");
        // Long before the live run.
        var ended = java.time.Instant.parse("2025-11-15T08:00:00Z");
        long first = ended.toEpochMilli() * 1000;
        edit(
                tree -> {
                    for (int number = 0; number < 60_000; number++) {
                        tree.putObject(Long.toString(first + number, 36) + "_0")
                                .put("pid", 1)
                                .put("state", "normal_exit")
                                .put("retry_count", 0);
                    }
                    tree.putObject("theirs").put("state", "normal_exit");
                });

        eventually(
                "the oldest is gone",
                () -> !tree().isEmpty() && !tree().has(Long.toString(first, 36) + "_0"));

        assertThat(file.toFile().length()).isLessThan(4 << 20);
        assertThat(tree().has("theirs")).isTrue();
        record(task.uniId(0), "abnormal_exit");
        record(task.uniId(1), "running");
    }

    @Test
    void tasksThatOutliveTheirRunAreTrackedToTheirEnd() throws Exception {
        var run = run("one");
        var task = task(run);
        record(task.uniId(), "running");

        engine.loop
                .ask(new EngineCommand.StopFileRun(engine.loop.now(), ANN, run.id(), true))
                .get();
        eventually("the run is over", () -> engine.loop.state().durable().fileRuns().isEmpty());
        engine.node.end(attempt(task, 1), 2);

        assertThat(record(task.uniId(), "abnormal_exit").path("error_type").asString())
                .isEqualTo("exit_2");
    }

    private FileRun run(String... commands) {
        var blocks = new java.util.ArrayList<Block>();
        for (var command : commands) {
            int number = blocks.size() + 1;
            blocks.add(new Block(number, number, List.of(command), 0, Need.GpuCount.of(1)));
        }
        var form =
                new EngineCommand.FileRunOptions(
                        FileMode.SINGLE,
                        OptionalInt.empty(),
                        "command.txt",
                        FileRun.Origin.TERMINAL,
                        Priority.NORMAL,
                        "/");
        var file = new CommandFile(FileMode.SINGLE, blocks, List.of());
        var reply =
                engine.loop
                        .ask(new EngineCommand.StartFileRun(engine.loop.now(), ANN, form, file))
                        .join();
        return ((EngineReply.FileRunChanged) reply).run();
    }

    private Task task(FileRun run) {
        return tasks(run).getFirst();
    }

    private List<Task> tasks(FileRun run) {
        var tasks = new java.util.ArrayList<Task>();
        for (int number = 0; number < run.taskCount(); number++) {
            var id = new TaskId(run.firstTask().value() + number);
            tasks.add(engine.store.find(id).orElseThrow().task());
        }
        return tasks;
    }

    private static AttemptId attempt(Task task, int number) {
        return new AttemptId(task.id(), number);
    }

    private void awaitRunning(AttemptId attempt) {
        engine.awaitRunning(attempt);
    }

    private Optional<?> said(AttemptId attempt) {
        return engine.loop.state().attempts().get(attempt).flatMap(Attempt::scriptReport);
    }

    private static long shell(Task task) {
        return ScriptedNode.pid(task.id()) + FakeLeftovers.SHELL;
    }

    private JsonNode record(String uniId, String state) {
        return present(
                uniId + " is " + state,
                () ->
                        Files.exists(file)
                                ? Optional.of(tree().path(uniId))
                                        .filter(one -> one.path("state").asString("").equals(state))
                                : Optional.empty());
    }

    private ObjectNode tree() {
        try {
            var bytes = Files.readAllBytes(file);
            return JsonMapper.shared().readTree(bytes) instanceof ObjectNode tree
                    ? tree
                    : JsonMapper.shared().createObjectNode();
        } catch (tools.jackson.core.JacksonException broken) {
            return JsonMapper.shared().createObjectNode();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Like a script that does not coordinate with Berth. */
    private void edit(Consumer<ObjectNode> change) {
        try {
            var tree = tree();
            change.accept(tree);
            var own = Files.writeString(file.resolveSibling("own"), tree.toString());
            Files.move(own, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }
}

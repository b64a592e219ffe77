package dev.berth.server.api.run;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.access.CommandPolicy;
import dev.berth.core.commandfile.BlockProblem;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun.Origin;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.engine.EngineCommand;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineReply;
import dev.berth.node.linux.FileExchange;
import dev.berth.runs.FileRuns;
import dev.berth.runs.ProcessFile;
import dev.berth.runs.ProcessFileWriter;
import dev.berth.runs.RunFileWriter;
import dev.berth.runs.RunResources;
import dev.berth.runs.RunSettings;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.ForecastCache;
import dev.berth.server.api.task.FindingsJson;
import dev.berth.server.api.task.TaskJson;
import dev.berth.testengine.TestEngine;
import dev.berth.testkit.FakeTaskLogs;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeLeftovers;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The files that file runs write, on a clock that the test advances. */
class RunFileWriterTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final Duration CHECK = Duration.ofSeconds(10);
    private static final String STATUS = " status\n";

    @TempDir Path home;

    private final AtomicLong nanos = new AtomicLong();
    private int readings;
    private MemoryStore store = new MemoryStore();
    private Server server;

    @BeforeEach
    void open() {
        server = new Server();
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** An engine on the store, and the component under test. */
    private final class Server implements AutoCloseable {
        private final TestEngine running =
                new TestEngine(
                        store,
                        TestEngine.Options.DEFAULT
                                .with(
                                        SchedulingRules.DEFAULT.with(
                                                new LaneRules(Optional.empty(), 0, false)))
                                .withGpus(4));
        private final EngineLoop engine = running.loop;
        private final ProcessFileWriter processes;
        private final RunFileWriter book;

        private Server() {
            var usual = RunResources.at(home);
            var settings =
                    new RunSettings(
                            home,
                            () -> home,
                            () -> false,
                            () -> home.resolve("own/logs"),
                            () -> CHECK,
                            () -> CommandPolicy.OPEN);
            var lanes =
                    new RunResources(
                            usual.files(),
                            usual.bindings(),
                            usual.logAccess(),
                            usual.activeFiles(),
                            settings,
                            usual.paths());
            var file = new ProcessFile(() -> home.resolve("uni_id.json"), FileExchange::exchange);
            processes = ProcessFileWriter.open(file, engine, store, FakeLeftovers::shell);
            var client =
                    new EngineClient(
                            engine, new ForecastCache(engine, Runnable::run, System::nanoTime));
            var logs = new FakeTaskLogs();
            var findings = new FindingsJson(client, _ -> Optional.empty());
            var tasks = new TaskJson(client, logs, findings);
            var json = new FileRunJson(client, store, logs, lanes, tasks);
            book = RunFileWriter.start(new FileRuns(engine, store), json::state, lanes, nanos::get);
        }

        @Override
        public void close() {
            book.close();
            processes.close();
            running.close();
        }
    }

    @Test
    void filesAreReadableByTheirOwnerOnly() throws IOException {
        start(Origin.CONSOLE, "1\na\n1\n");
        eventually("it is written", () -> state(1).isPresent() && prints() == 1);
        for (var path : List.of("logs/state/1.json", "own/logs/scheduler_single_1.log")) {
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(home.resolve(path))))
                    .isEqualTo("rw-------");
        }
        try (var files = Files.list(home.resolve("logs/state"))) {
            assertThat(files).containsExactly(home.resolve("logs/state/1.json"));
        }
    }

    @Test
    void theLogHasEventsAndStatus() throws IOException {
        var blocks =
                CommandFile.parse(FileMode.SINGLE, "1\nsecret\n1\n\n1\nb\n1\n\n2\nc\n1\n").blocks();
        var problem =
                new BlockProblem(7, "command.bad_queue", Map.of("line_text", "It is\nwrong."));
        start(Origin.TERMINAL, new CommandFile(FileMode.SINGLE, blocks, List.of(problem)));
        come(1, 1);
        come(3, 1);
        end(1, 1, 3);
        come(1, 2);
        tick();
        eventually("the retry is logged", () -> log("compete_gpu.log").contains("(retry 1)"));
        assertThat(log("compete_gpu.log").replaceAll("(?m)^\\S+ \\S+ ", ""))
                .contains("run 1 started by ann: some.txt, 3 tasks\n")
                .contains("3 tasks\nrun 1 line 7 is left out: ")
                .contains("It is?wrong.")
                .contains("run 1 task 1 (queue 1) starts on GPU ")
                .contains("run 1 task 1 (queue 1) ended: exit code 3\n")
                .contains("run 1 task 1 (queue 1) is tried again (retry 1)\n")
                .doesNotContain("secret");
        end(1, 2, 0);
        come(2, 1);
        nanos.addAndGet(CHECK.toNanos());
        tick();
        eventually("it is printed again", () -> prints() == 2);
        var last = log("compete_gpu.log").split(STATUS, -1)[2];
        assertThat(last)
                .matches(
                        "(?s)  queue 1: busy, task 2 on GPU \\d \\(1 of 2 completed\\)\n"
                                + "  queue 2: busy, task 3 on GPU \\d \\(0 of 1 completed\\)\n"
                                + "  pending 0 running 2 completed 1 failed 0\n.*");
        end(2, 1, 0);
        end(3, 1, 0);
        tick();
        eventually(
                "the end is logged",
                () -> log("compete_gpu.log").contains("run 1 finished: pending 0 "));
    }

    @Test
    void theStatusIsPrintedImmediatelyAndThenAtMostEveryCheckTime() throws IOException {
        start(Origin.CONSOLE, "1\na\n1\n\n1\nb\n1\n");
        eventually("the first comes at once", () -> prints() == 1);
        come(1, 1);
        end(1, 1, 0);
        come(2, 1);
        tick();
        eventually(
                "the change is seen", () -> state(1).orElseThrow().get("completed").asInt() == 1);
        assertThat(prints()).isEqualTo(1);
        nanos.addAndGet(CHECK.minusSeconds(1).toNanos());
        end(2, 1, 0);
        tick();
        eventually("the end is seen", () -> !state(1).orElseThrow().get("ended_at").isNull());
        assertThat(prints()).isEqualTo(1);
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        tick();
        eventually("now it may be printed", () -> prints() == 2);
        assertThat(log("scheduler_single_1.log")).endsWith("completed 2 failed 0\n");
    }

    @Test
    void aRunIsWrittenAtMostFourTimesASecond() throws IOException {
        start(Origin.CONSOLE, "1\na\n1\n\n1\nb\n1\n");
        come(1, 1);
        eventually("it is written", () -> state(1).isPresent());
        nanos.addAndGet(Duration.ofMillis(249).toNanos());
        end(1, 1, 0);
        come(2, 1);
        // Once another run is written, a pass has completed that could have written this one.
        start(Origin.TERMINAL, "1\na\n1\n");
        eventually("another is written", () -> state(2).isPresent());
        assertThat(state(1).orElseThrow().get("completed").asInt()).isZero();
        nanos.addAndGet(Duration.ofMillis(1).toNanos());
        tickOnly();
        eventually("now it is", () -> state(1).orElseThrow().get("completed").asInt() == 1);
    }

    @Test
    void anotherServerContinuesTheFiles() throws IOException {
        start(Origin.CONSOLE, "1\na\n1\n\n1\nb\n1\n");
        come(1, 1);
        tick();
        eventually("the start is logged", () -> log().contains("task 1 (queue 1) starts"));
        server.close();

        store = store.forAnotherServer();
        server = new Server();
        end(1, 1, 0);
        come(2, 1);
        tick();
        eventually("it goes on", () -> state(1).orElseThrow().get("completed").asInt() == 1);
        // The log is written after the state.
        eventually("it is logged", () -> log().contains("task 1 (queue 1) completed\n"));
        assertThat(log().split("started by ann", -1)).hasSize(2);
        assertThat(log().split("task 1 \\(queue 1\\) starts", -1)).hasSize(2);
    }

    @Test
    void missedEventsAreWrittenByTheNextServer() throws IOException {
        start(Origin.CONSOLE, "1\na\n1\n");
        come(1, 1);
        tick();
        eventually(
                "it runs",
                () -> state(1).stream().anyMatch(one -> one.get("running").asInt() == 1));
        server.book.close();
        end(1, 1, 0);
        assertThat(state(1).orElseThrow().get("status").asString()).isEqualTo("running");
        server.close();

        store = store.forAnotherServer();
        server = new Server();
        eventually(
                "it is written",
                () -> state(1).orElseThrow().get("status").asString().equals("finished"));
        eventually("and told", () -> log().contains("run 1 finished: pending 0 "));
        assertThat(log()).contains("task 1 (queue 1) completed\n");
    }

    @Test
    void anUnwritableDirectoryIsLoggedOnceAndAffectsNothingElse() throws IOException {
        var warnings = new CopyOnWriteArrayList<String>();
        var logger = Logger.getLogger(RunFileWriter.class.getName());
        var handler = listener(warnings);
        logger.addHandler(handler);
        try {
            Files.createDirectories(home.resolve("logs"));
            Files.writeString(home.resolve("logs/state"), "in the way");
            start(Origin.CONSOLE, "1\na\n1\n\n1\nb\n1\n");
            eventually("it is logged", () -> warnings.size() == 1);
            for (int task = 1; task <= 2; task++) {
                come(task, 1);
                nanos.addAndGet(Duration.ofSeconds(1).toNanos());
                end(task, 1, 0);
            }
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            tickOnly();
            eventually("the log goes on", () -> log().contains("run 1 finished: pending 0 "));
            assertThat(warnings).hasSize(1);
            assertThat(warnings.getFirst()).contains("run 1");
            Files.delete(home.resolve("logs/state"));
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            tick();
            eventually(
                    "it is written after all",
                    () -> state(1).stream().anyMatch(one -> one.get("completed").asInt() == 2));
            eventually("and that is logged", () -> warnings.size() == 2);
        } finally {
            logger.removeHandler(handler);
        }
    }

    private static Handler listener(List<String> heard) {
        return new Handler() {
            @Override
            public void publish(LogRecord entry) {
                heard.add(String.valueOf(entry.getMessage()));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    @Test
    void blocksLeftOutAreInStateAndLogAlsoUnderTheNextServer() throws IOException {
        start(Origin.CONSOLE, "1\na\n1\n\nno\nb\n1\n");
        come(1, 1);
        eventually("the state is written", () -> state(1).isPresent());
        var problems = state(1).orElseThrow().get("problems");
        assertThat(problems.valueStream().map(one -> one.get("line").asInt())).containsExactly(5);
        assertThat(problems.get(0).get("detail").asString()).isNotEmpty();
        eventually("the log names it", () -> log().contains("line 5 is left out: "));
        server.close();
        Files.delete(home.resolve("logs/state/1.json"));
        server = new Server();
        eventually("the state is written again", () -> state(1).isPresent());
        assertThat(state(1).orElseThrow().get("problems")).isEqualTo(problems);
    }

    private void start(Origin origin, String text) {
        start(origin, CommandFile.parse(FileMode.SINGLE, text));
    }

    private void start(Origin origin, CommandFile file) {
        var form =
                new EngineCommand.FileRunOptions(
                        FileMode.SINGLE,
                        OptionalInt.empty(),
                        origin == Origin.CONSOLE ? "other.txt" : "some.txt",
                        origin,
                        Priority.NORMAL,
                        "/");
        var reply =
                server.engine
                        .ask(new EngineCommand.StartFileRun(server.engine.now(), ANN, form, file))
                        .join();
        assertThat(reply).isInstanceOf(EngineReply.FileRunChanged.class);
    }

    private static AttemptId attempt(long task, int number) {
        return new AttemptId(new TaskId(task), number);
    }

    private void come(long task, int number) {
        eventually(
                "task " + task + " runs",
                () ->
                        server.engine.state().attempts().get(attempt(task, number)).stream()
                                .anyMatch(one -> one.phase() instanceof Phase.Running));
    }

    private void end(long task, int number, int code) {
        server.running.node.end(attempt(task, number), code);
        eventually(
                "task " + task + " has ended",
                () -> !server.engine.state().attempts().contains(attempt(task, number)));
    }

    /** Advances the clock far enough for every run, and sends a reading that triggers a pass. */
    private void tick() {
        nanos.addAndGet(Duration.ofMillis(250).toNanos());
        tickOnly();
    }

    /** A reading equal to the last one triggers nothing. */
    private void tickOnly() {
        server.running.node.read(4, ++readings % 2);
    }

    private int prints() throws IOException {
        var all = log("scheduler_single_1.log") + log("compete_gpu.log");
        return all.split(STATUS, -1).length - 1;
    }

    private Optional<JsonNode> state(long run) throws IOException {
        var file = home.resolve("logs/state/" + run + ".json");
        return Files.isRegularFile(file)
                ? Optional.of(JsonMapper.shared().readTree(Files.readString(file)))
                : Optional.empty();
    }

    private String log() throws IOException {
        return log("scheduler_single_1.log");
    }

    private String log(String name) throws IOException {
        var file = home.resolve("own/logs").resolve(name);
        return Files.exists(file) ? Files.readString(file) : "";
    }
}

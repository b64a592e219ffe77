package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.commandfile.Block;
import dev.berth.core.commandfile.BlockProblem;
import dev.berth.core.commandfile.CommandFile;
import dev.berth.core.commandfile.FileMode;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.Backoff;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Requirements;
import dev.berth.core.task.Script;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSource;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.ServerPayload;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** File runs: the tasks of a lane run one after the other; they are retried and stopped. */
class FileRunEngineTest {

    private static final Owner ANN = Owner.unix("ann");

    private final MemoryStore store = new MemoryStore();
    private final FakeNode node = new FakeNode();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private SchedulingRules rules =
            SchedulingRules.DEFAULT.with(new LaneRules(Optional.empty(), 0, false));
    private AttemptSettings tuning =
            new AttemptSettings(
                    new Backoff(3, Duration.ofSeconds(5)),
                    OptionalInt.empty(),
                    Duration.ZERO,
                    Duration.ofMinutes(1));
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        recover();
    }

    private void recover() throws StoreFailure {
        var usual = QueueSettings.DEFAULT;
        var queueing =
                new QueueSettings(
                        usual.order(), 100, Duration.ofDays(1), usual.pollInterval(), tuning);
        var parts = new Engine.Parts(store, node, new Planner(rules), queueing, Failpoints.NONE);
        engine = Engine.recover(parts, 0, now);
        cards(4);
    }

    @Test
    void theTasksOfAFileRunLaneByLane() {
        var run = started(block(1, 1), block(3, 1), block(5, 2));
        assertThat(run.firstTask()).isEqualTo(new TaskId(1));
        assertThat(run.taskCount()).isEqualTo(3);
        assertThat(task(1).spec().source()).isEqualTo(TaskSource.FILE);
        assertThat(task(1).spec().options().lane().orElseThrow().apiName()).isEqualTo("1/1");
        assertThat(task(1).uniId()).isNotEqualTo(task(2).uniId());
        come(first());
        assertThat(node.launched).hasSize(2);
        come(node.launched.getLast());
        assertThat(node.launched).extracting(id -> id.task().value()).containsOnly(1L, 3L);
        end(1, 0);
        come(attempt(2, 1));
        end(2, 0);
        end(3, 0);
        assertThat(engine.state().durable().fileRuns().isEmpty()).isTrue();
        assertThat(store.fileRuns(9))
                .singleElement()
                .satisfies(
                        over ->
                                assertThat(over.stage())
                                        .isInstanceOf(FileRun.Stage.Finished.class));
    }

    @Test
    void theNextTaskOfARunStartsAfterThePreviousOneIsRunning() {
        started(block(1, 1), block(2, 2), block(3, 3));
        tick();
        assertThat(node.launched).hasSize(1);
        come(first());
        assertThat(node.launched).hasSize(2);
        come(node.launched.getLast());
        assertThat(node.launched).hasSize(3);
    }

    @Test
    void startsOfARunCanBeSpaced() {
        retune(tuning(3, Duration.ofSeconds(30)));
        started(block(1, 1), block(2, 2));
        come(first());
        assertThat(node.launched).hasSize(1);
        assertThat(engine.due()).isEqualTo(now.plusSeconds(30));
        pass(Duration.ofSeconds(29));
        assertThat(node.launched).hasSize(1);
        pass(Duration.ofSeconds(1));
        assertThat(node.launched).hasSize(2);
    }

    @Test
    void aFailedTaskIsRetriedUnderANewNameBeforeItsLaneContinues() {
        started(block(1, 1), block(2, 1));
        var before = task(1).uniId();
        come(attempt(1, 1));
        end(1, 1);
        assertThat(node.launched).containsExactly(attempt(1, 1), attempt(1, 2));
        assertThat(task(1).retries()).isEqualTo(1);
        assertThat(task(1).uniId()).isNotEqualTo(before);
        come(attempt(1, 2));
        end(1, 0);
        assertThat(node.launched.getLast()).isEqualTo(attempt(2, 1));
    }

    @Test
    void everyThirdRetryIsDelayedInItsLaneOnly() throws StoreFailure {
        started(block(1, 1), block(2, 1), block(3, 2));
        come(first());
        come(node.launched.getLast());
        var waits = new ArrayList<Long>();
        for (int retry = 1; retry <= 7; retry++) {
            end(1, 1);
            var rest = task(1).notBefore().map(until -> Duration.between(now, until));
            waits.add(rest.map(Duration::toSeconds).orElse(0L));
            if (rest.isPresent()) {
                assertThat(state(1)).isInstanceOf(TaskState.Queued.class);
                assertThat(engine.due()).isEqualTo(now.plus(rest.get()));
                recover();
                node.adopted.forEach(this::adopt);
                pass(rest.get().minusMillis(1));
                assertThat(state(1)).isInstanceOf(TaskState.Queued.class);
                pass(Duration.ofMillis(1));
            }
            assertThat(state(1)).isInstanceOf(TaskState.Running.class);
            come(attempt(1, retry + 1));
        }
        assertThat(waits).containsExactly(0L, 0L, 0L, 5L, 0L, 0L, 5L);
        assertThat(state(2)).isInstanceOf(TaskState.Queued.class);
        assertThat(state(3)).isInstanceOf(TaskState.Running.class);
    }

    @Test
    void afterItsLastRetryATaskFailsAndTheLaneContinues() {
        tuning = new AttemptSettings(tuning.backoff(), OptionalInt.of(2), Duration.ZERO, minute());
        retune(tuning);
        started(block(1, 1), block(2, 1));
        for (int attempt = 1; attempt <= 3; attempt++) {
            come(attempt(1, attempt));
            end(1, 7);
        }
        assertThat(stored(1).state())
                .isInstanceOfSatisfying(
                        TaskState.Failed.class,
                        failed -> assertThat(failed.error()).contains("exit code 7"));
        assertThat(node.launched.getLast()).isEqualTo(attempt(2, 1));
    }

    @Test
    void tasksAreRetriedOnlyOnRequest() {
        var spec = TaskSpec.of("x", "false", Need.CPU, "/");
        var once =
                new TaskSpec(
                        "y",
                        TaskSource.API,
                        Script.of("false", "/"),
                        Requirements.of(Need.CPU),
                        new TaskOptions(
                                Priority.NORMAL,
                                Optional.empty(),
                                Optional.empty(),
                                OptionalInt.of(1)));
        submit(spec);
        submit(once);
        end(1, 1);
        end(2, 1);
        assertThat(stored(1).state()).isInstanceOf(TaskState.Failed.class);
        assertThat(node.launched.getLast()).isEqualTo(attempt(2, 2));
        end(2, 1);
        assertThat(stored(2).state()).isInstanceOf(TaskState.Failed.class);
        assertThat(stored(2).retries()).isEqualTo(1);
    }

    @Test
    void aCancelledTaskIsNotRetriedAndItsLaneContinues() {
        started(block(1, 1), block(2, 1));
        come(attempt(1, 1));
        ask(new EngineCommand.Cancel(now, ANN, new TaskId(1)));
        end(1, 143);
        assertThat(stored(1).state()).isInstanceOf(TaskState.Cancelled.class);
        assertThat(stored(1).retries()).isZero();
        assertThat(node.launched.getLast()).isEqualTo(attempt(2, 1));
    }

    @Test
    void stoppingARunEndsItsTasksAndStartsNoMore() {
        var run = started(block(1, 1), block(2, 1));
        come(attempt(1, 1));
        var reply =
                (EngineReply.FileRunChanged)
                        ask(new EngineCommand.StopFileRun(now, ANN, run.id(), false));
        assertThat(reply.run().stage()).isInstanceOf(FileRun.Stage.Stopping.class);
        assertThat(node.stopped).containsExactly(attempt(1, 1));
        assertThat(stored(2).state()).isInstanceOf(TaskState.Cancelled.class);
        end(1, 143);
        assertThat(node.launched).hasSize(1);
        assertThat(store.fileRuns(1).getFirst().stage()).isInstanceOf(FileRun.Stage.Stopped.class);
        assertThat(code(ask(new EngineCommand.StopFileRun(now, ANN, run.id(), false))))
                .isEqualTo("run.not_running");
        assertThat(code(ask(new EngineCommand.StopFileRun(now, ANN, 99, false))))
                .isEqualTo("run.not_running");
    }

    @Test
    void aRunCanBeStoppedWithoutItsRunningTasksWhichAreNotRetried() {
        var run = started(block(1, 1), block(2, 1));
        come(attempt(1, 1));
        var reply =
                (EngineReply.FileRunChanged)
                        ask(new EngineCommand.StopFileRun(now, ANN, run.id(), true));
        assertThat(reply.run().stage()).isInstanceOf(FileRun.Stage.Stopped.class);
        assertThat(node.stopped).isEmpty();
        end(1, 1);
        assertThat(stored(1).state()).isInstanceOf(TaskState.Failed.class);
        assertThat(node.launched).hasSize(1);
    }

    @Test
    void aFileRunsOnceAtATimeAndRunIdsAreUnique() throws StoreFailure {
        var run = started(block(1, 1));
        assertThat(code(ask(starting(block(1, 1))))).isEqualTo("run.already");
        come(attempt(1, 1));
        end(1, 0);
        recover();
        assertThat(started(block(1, 1)).id()).isEqualTo(run.id() + 1);
    }

    @Test
    void aRunContinuesAfterARestart() throws StoreFailure {
        started(block(1, 1), block(2, 1));
        come(attempt(1, 1));
        recover();
        adopt(attempt(1, 1));
        tick();
        assertThat(node.launched).hasSize(1);
        end(1, 0);
        assertThat(node.launched.getLast()).isEqualTo(attempt(2, 1));
    }

    @Test
    void theScriptReportOutranksTheExitCode() {
        started(block(1, 1), block(2, 2));
        come(first());
        come(node.launched.getLast());
        say(1, false, "oom");
        end(1, 0);
        say(2, true, "");
        end(2, 1);
        assertThat(task(1).retries()).isEqualTo(1);
        assertThat(
                        store.attempts(new TaskId(1))
                                .getFirst()
                                .scriptReport()
                                .orElseThrow()
                                .errorType())
                .contains("oom");
        assertThat(stored(2).state()).isInstanceOf(TaskState.Completed.class);
    }

    @Test
    void aReportThatComesWithTheEndDecidesAndAnEarlierOneStays() {
        started(block(1, 1), block(2, 2));
        come(first());
        come(node.launched.getLast());
        end(1, 0, report(false, "oom"));
        say(2, true, "");
        end(2, 1, report(false, "oom"));
        assertThat(task(1).retries()).isEqualTo(1);
        assertThat(store.attempts(new TaskId(1)).getFirst().scriptReport())
                .contains(report(false, "oom"));
        assertThat(stored(2).state()).isInstanceOf(TaskState.Completed.class);
    }

    @Test
    void aReportIsNotLostWhenItsCommitFails() {
        started(block(1, 1));
        come(first());
        store.failNextCommits(1, StoreFailure.Kind.FULL);
        end(1, 0, report(false, "oom"));
        assertThat(task(1).retries()).isZero();
        tick();
        assertThat(task(1).retries()).isEqualTo(1);
    }

    @Test
    void aScriptThatReportsItsEndAndKeepsRunningIsEnded() throws StoreFailure {
        started(block(1, 1));
        come(attempt(1, 1));
        say(1, true, "");
        recover();
        adopt(attempt(1, 1));
        assertThat(engine.due()).isEqualTo(now.plusSeconds(30));
        pass(Duration.ofSeconds(29));
        assertThat(node.stopped).isEmpty();
        pass(Duration.ofSeconds(1));
        assertThat(node.stopped).containsExactly(attempt(1, 1));
        end(1, 143);
        assertThat(stored(1).state()).isInstanceOf(TaskState.Completed.class);
    }

    @Test
    void everyAbnormalEndIsRetried() {
        started(block(1, 1));
        var endings =
                List.of(
                        new Ending.Exited(1),
                        new Ending.Vanished(),
                        new Ending.MachineRestarted(),
                        new Ending.StartTimedOut("late"),
                        new Ending.LaunchFailed("no room"));
        int attempt = 1;
        for (var ending : endings) {
            come(attempt(1, attempt));
            observe(new Fact.Ended(attempt(1, attempt), ending, List.of()));
            pass(Duration.ofSeconds(5));
            attempt++;
            assertThat(node.launched.getLast()).isEqualTo(attempt(1, attempt));
        }
        assertThat(task(1).retries()).isEqualTo(5);
        observe(new Fact.Ended(attempt(1, attempt), new Ending.NeverStarted(), List.of()));
        assertThat(task(1).retries()).as("it never ran").isEqualTo(5);
    }

    @Test
    void aBlockThatCanNeverStartIsSkippedAndItsLineNamed() {
        var many = new Block(7, 1, List.of("true"), 0, Need.GpuCount.of(9));
        var reply = (EngineReply.FileRunChanged) ask(starting(many, block(9, 1)));
        assertThat(reply.run().leftOut()).extracting(BlockProblem::line).containsExactly(7);
        assertThat(reply.run().taskCount()).isEqualTo(1);
        ask(new EngineCommand.StopFileRun(now, ANN, reply.run().id(), false));
        end(1, 143);
        assertThat(code(ask(starting(many)))).isEqualTo("command.nothing");
    }

    @Test
    void invalidAndInfeasibleBlocksAreKeptTogetherByLine() {
        var bad = new BlockProblem(9, "command.no_command", Map.of());
        var many = new Block(7, 1, List.of("true"), 0, Need.GpuCount.of(9));
        var file = new CommandFile(FileMode.SINGLE, List.of(many, block(11, 1)), List.of(bad));
        ask(new EngineCommand.StartFileRun(now, ANN, starting().options(), file));
        var left = store.fileRuns(1).getFirst().leftOut();
        assertThat(left).extracting(BlockProblem::line).containsExactly(7, 9);
    }

    @Test
    void aTaskOfAFileCanOnlyBeChangedToWhatAFileAllows() {
        started(block(1, 1), block(2, 1));
        var before = task(2).spec();
        var larger = Need.GpuMemory.of(2000);
        var one = new Need.Gpus(one(), Optional.empty(), larger);
        var two = new Need.Gpus(Need.GpuCount.of(2), Optional.empty(), larger);
        assertThat(code(ask(revise(before, needing(before, two))))).isEqualTo("lane.need");
        assertThat(code(ask(revise(before, needing(before, Need.CPU))))).isEqualTo("lane.need");
        assertThat(ask(revise(before, needing(before, one))))
                .isInstanceOf(EngineReply.TaskAccepted.class);
        assertThat(task(2).spec().requirements().need()).isEqualTo(one);
    }

    private EngineCommand.ChangeTask revise(TaskSpec before, TaskSpec after) {
        return new EngineCommand.ChangeTask(now, ANN, new TaskId(2), before, after);
    }

    private static TaskSpec needing(TaskSpec spec, Need need) {
        return TaskSpec.of(spec.name(), "true", need, spec.script().workDir())
                .with(spec.script())
                .with(spec.source())
                .with(spec.options().lane().orElseThrow(), spec.options().maxRetries());
    }

    @Test
    void rulesThatCouldNotBeStoredDoNotApply() {
        started(block(1, 1));
        store.failNextCommits(1, StoreFailure.Kind.FULL);
        assertThat(retune(SchedulingRules.DEFAULT)).isInstanceOf(EngineReply.Unavailable.class);
        assertThat(engine.planner().rules()).isEqualTo(rules);
    }

    @Test
    void aSkippedBlockDoesNotChangeThePositionOfOtherTasks() {
        var many = new Block(1, 1, List.of("true"), 0, Need.GpuCount.of(9));
        var reply = (EngineReply.FileRunChanged) ask(starting(many, block(3, 1), block(5, 2)));
        assertThat(task(reply.run().firstTask().value()).spec().fileRunLane().orElseThrow().index())
                .isEqualTo(1);
        assertThat(
                        task(reply.run().firstTask().value() + 1)
                                .spec()
                                .fileRunLane()
                                .orElseThrow()
                                .index())
                .isZero();
    }

    @Test
    void changedRulesApplyFromTheNextSchedulingPass() {
        started(block(1, 1), block(2, 2));
        come(first());
        ask(new EngineCommand.StopFileRun(now, ANN, 1, false));
        retune(SchedulingRules.DEFAULT.with(new LaneRules(Optional.empty(), 4, false)));
        tick();
        var run = (EngineReply.FileRunChanged) ask(starting("other", block(1, 1)));
        tick();
        assertThat(state(run.run().firstTask().value())).isInstanceOf(TaskState.Queued.class);
        retune(rules);
        assertThat(engine.due()).isEqualTo(now);
        tick();
        assertThat(state(run.run().firstTask().value())).isInstanceOf(TaskState.Running.class);
    }

    // --- helpers ---

    private static Need.GpuCount one() {
        return Need.GpuCount.of(1);
    }

    private static Duration minute() {
        return Duration.ofMinutes(1);
    }

    private static Block block(int line, int queue) {
        return new Block(line, queue, List.of("python train.py --id {uni_id}"), 1000, one());
    }

    private EngineCommand.StartFileRun starting(Block... blocks) {
        return starting("command_gpu.txt", blocks);
    }

    private EngineCommand.StartFileRun starting(String file, Block... blocks) {
        var form =
                new EngineCommand.FileRunOptions(
                        FileMode.SINGLE,
                        OptionalInt.of(0),
                        file,
                        FileRun.Origin.CONSOLE,
                        Priority.NORMAL,
                        "/");
        return new EngineCommand.StartFileRun(
                now, ANN, form, new CommandFile(FileMode.SINGLE, List.of(blocks), List.of()));
    }

    private FileRun started(Block... blocks) {
        return ((EngineReply.FileRunChanged) ask(starting(blocks))).run();
    }

    private void submit(TaskSpec spec) {
        ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty()));
    }

    private AttemptSettings tuning(int atOnce, Duration delay) {
        return new AttemptSettings(
                new Backoff(atOnce, Duration.ofSeconds(5)), OptionalInt.empty(), delay, minute());
    }

    private void retune(AttemptSettings other) {
        ask(new EngineCommand.ChangeRules(now, ANN, rules, other, List.of()));
    }

    private EngineReply retune(SchedulingRules other) {
        var event = new ServerPayload.RulesChanged(Optional.empty());
        return ask(new EngineCommand.ChangeRules(now, ANN, other, tuning, List.of(event)));
    }

    private AttemptId first() {
        return node.launched.getFirst();
    }

    private static AttemptId attempt(long task, int number) {
        return new AttemptId(new TaskId(task), number);
    }

    private void come(AttemptId id) {
        observe(new Fact.Started(id, life()));
    }

    private void adopt(AttemptId id) {
        observe(new Fact.Adopted(id, life()));
    }

    private ShimProcess life() {
        return new ShimProcess(new ProcessKey("boot-1", 7, 7), now);
    }

    private void say(long task, boolean isWell, String type) {
        observe(
                new Fact.ScriptReported(
                        attempt(task, task(task).attempts()), report(isWell, type)));
    }

    private ScriptReport report(boolean isWell, String type) {
        return new ScriptReport(isWell, Optional.of(type).filter(word -> !word.isEmpty()), now);
    }

    private void end(long task, int code, ScriptReport report) {
        var id = attempt(task, task(task).attempts());
        var ending = new Ending.Exited(code);
        observe(
                new Fact.Ended(
                        id, ending, List.of(), true, AttemptFindings.NONE, Optional.of(report)));
    }

    private void end(long task, int code) {
        var id = attempt(task, task(task).attempts());
        observe(new Fact.Ended(id, new Ending.Exited(code), List.of()));
    }

    private Task task(long id) {
        return engine.state().tasks().get(new TaskId(id)).orElseThrow();
    }

    private TaskState state(long id) {
        return task(id).state();
    }

    private Task stored(long id) {
        return store.find(new TaskId(id)).orElseThrow().task();
    }

    private void cards(int count) {
        var cards = new ArrayList<GpuState>();
        for (int index = 0; index < count; index++) {
            cards.add(
                    new GpuState.Readable(
                            new Gpu(new GpuId("here", "GPU-" + index), index, "A", 24_000),
                            new GpuReading(
                                    OptionalLong.of(0),
                                    OptionalLong.of(24_000),
                                    OptionalInt.of(0),
                                    OptionalInt.of(40))));
        }
        observe(new Fact.GpusRead("here", cards));
    }

    private void observe(Fact fact) {
        engine.run(
                List.of(new Engine.Envelope(new EngineCommand.Observe(now, fact), _ -> {})), now);
    }

    private void tick() {
        engine.run(List.of(new Engine.Envelope(new EngineCommand.Tick(now), _ -> {})), now);
    }

    private void pass(Duration time) {
        now = now.plus(time);
        tick();
    }

    private EngineReply ask(EngineCommand.Request request) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(request, replies::add)), now);
        return replies.getFirst();
    }

    private static String code(EngineReply reply) {
        return reply instanceof EngineReply.Refused(var why) ? why.code() : reply.toString();
    }
}

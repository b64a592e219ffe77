package dev.berth.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.core.lane.Block;
import dev.berth.core.lane.LaneRun;
import dev.berth.core.lane.Mode;
import dev.berth.core.plan.LaneRules;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Backoff;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Run;
import dev.berth.core.task.Said;
import dev.berth.core.task.Source;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.engine.Command;
import dev.berth.engine.Engine;
import dev.berth.engine.Queueing;
import dev.berth.engine.Reply;
import dev.berth.engine.Tuning;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.StoreFailure;
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Command files as runs: one task of a lane after the other, tried again, stopped. */
class LanesTest {

    private static final Owner ANN = Owner.unix("ann");

    private final MemoryStore store = new MemoryStore();
    private final RecordingNode node = new RecordingNode();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Rules rules = Rules.USUAL.with(new LaneRules(Optional.empty(), 0, false));
    private Tuning tuning =
            new Tuning(
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
        var usual = Queueing.USUAL;
        var queueing = new Queueing(usual.order(), 100, Duration.ofDays(1), usual.poll(), tuning);
        var parts = new Engine.Parts(store, node, new Planner(rules), queueing, Failpoints.NONE);
        engine = Engine.recover(parts, 0, now);
        cards(4);
    }

    @Test
    void aFileBecomesTasksThatRunLaneByLane() {
        var run = started(block(1, 1), block(3, 1), block(5, 2));
        assertThat(run.first()).isEqualTo(new TaskId(1));
        assertThat(run.count()).isEqualTo(3);
        assertThat(task(1).spec().source()).isEqualTo(Source.FILE);
        assertThat(task(1).spec().lane().orElseThrow().word()).isEqualTo("1/1");
        assertThat(task(1).uniId()).isNotEqualTo(task(2).uniId());
        come(first());
        assertThat(node.launched).hasSize(2);
        come(node.launched.getLast());
        assertThat(node.launched).extracting(id -> id.task().value()).containsOnly(1L, 3L);
        end(1, 0);
        come(attempt(2, 1));
        end(2, 0);
        end(3, 0);
        assertThat(engine.state().books().runs().isEmpty()).isTrue();
        assertThat(store.runs(9))
                .singleElement()
                .satisfies(
                        over ->
                                assertThat(over.stage())
                                        .isInstanceOf(LaneRun.Stage.Finished.class));
    }

    @Test
    void oneTaskOfARunComesUpBeforeTheNextIsStarted() {
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
    void aFailedTaskIsTriedAgainUnderANewNameBeforeItsLaneGoesOn() {
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
    void afterEveryThirdRetryItsLaneRestsAndNoOther() throws StoreFailure {
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
    void whereRetriesAreLimitedTheTaskFailsInTheEndAndTheLaneGoesOn() {
        tuning = new Tuning(tuning.backoff(), OptionalInt.of(2), Duration.ZERO, minute());
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
    void anyTaskMayBeTriedAgainAndNoneIsUnlessItSays() {
        var spec = TaskSpec.of("x", "false", Need.CPU, "/");
        var once =
                new TaskSpec(
                        "y",
                        "false",
                        Need.CPU,
                        Optional.empty(),
                        Optional.empty(),
                        Priority.NORMAL,
                        Source.API,
                        "/",
                        new TreeMap<>(),
                        Optional.empty(),
                        OptionalInt.of(1));
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
    void aCancelledTaskIsNotTriedAgainAndItsLaneGoesOn() {
        started(block(1, 1), block(2, 1));
        come(attempt(1, 1));
        ask(new Command.Cancel(now, ANN, new TaskId(1)));
        end(1, 143);
        assertThat(stored(1).state()).isInstanceOf(TaskState.Cancelled.class);
        assertThat(stored(1).retries()).isZero();
        assertThat(node.launched.getLast()).isEqualTo(attempt(2, 1));
    }

    @Test
    void aStoppedRunEndsWhatRunsAndStartsNothingMore() {
        var run = started(block(1, 1), block(2, 1));
        come(attempt(1, 1));
        var reply = (Reply.Ran) ask(new Command.StopRun(now, ANN, run.id(), false));
        assertThat(reply.run().stage()).isInstanceOf(LaneRun.Stage.Stopping.class);
        assertThat(node.stopped).containsExactly(attempt(1, 1));
        assertThat(stored(2).state()).isInstanceOf(TaskState.Cancelled.class);
        end(1, 143);
        assertThat(node.launched).hasSize(1);
        assertThat(store.runs(1).getFirst().stage()).isInstanceOf(LaneRun.Stage.Stopped.class);
        assertThat(code(ask(new Command.StopRun(now, ANN, run.id(), false))))
                .isEqualTo("run.not_running");
        assertThat(code(ask(new Command.StopRun(now, ANN, 99, false))))
                .isEqualTo("run.not_running");
    }

    @Test
    void aRunCanBeStoppedWithoutWhatRunsAndThenThatIsNotTriedAgain() {
        var run = started(block(1, 1), block(2, 1));
        come(attempt(1, 1));
        var reply = (Reply.Ran) ask(new Command.StopRun(now, ANN, run.id(), true));
        assertThat(reply.run().stage()).isInstanceOf(LaneRun.Stage.Stopped.class);
        assertThat(node.stopped).isEmpty();
        end(1, 1);
        assertThat(stored(1).state()).isInstanceOf(TaskState.Failed.class);
        assertThat(node.launched).hasSize(1);
    }

    @Test
    void aFileIsRunOnceAtATimeAndNoNumberIsGivenTwice() throws StoreFailure {
        var run = started(block(1, 1));
        assertThat(code(ask(starting(block(1, 1))))).isEqualTo("run.already");
        come(attempt(1, 1));
        end(1, 0);
        recover();
        assertThat(started(block(1, 1)).id()).isEqualTo(run.id() + 1);
    }

    @Test
    void aRunGoesOnAfterARestart() throws StoreFailure {
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
    void whatAScriptSaysDecidesWhateverItsShellDid() {
        started(block(1, 1), block(2, 2));
        come(first());
        come(node.launched.getLast());
        say(1, false, "oom");
        end(1, 0);
        say(2, true, "");
        end(2, 1);
        assertThat(task(1).retries()).isEqualTo(1);
        assertThat(store.attempts(new TaskId(1)).getFirst().said().orElseThrow().errorType())
                .contains("oom");
        assertThat(stored(2).state()).isInstanceOf(TaskState.Completed.class);
    }

    @Test
    void whoSaysThatItIsOverAndStaysIsEnded() throws StoreFailure {
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
    void everyAbnormalEndIsTriedAgain() {
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
    void aBlockThatCouldNeverStartIsLeftOutByItsLine() {
        var many = new Block(7, 1, List.of("true"), 0, Need.Count.of(9));
        var reply = (Reply.Ran) ask(starting(many, new Block(9, 1, List.of("true"), 0, one())));
        assertThat(reply.left())
                .singleElement()
                .satisfies(one -> assertThat(one.line()).isEqualTo(7));
        assertThat(reply.run().count()).isEqualTo(1);
        ask(new Command.StopRun(now, ANN, reply.run().id(), false));
        end(1, 143);
        assertThat(code(ask(starting(many)))).isEqualTo("command.nothing");
    }

    @Test
    void aFilesTaskCanBeChangedToWhatAFileCanAskFor() {
        started(block(1, 1), block(2, 1));
        var before = task(2).spec();
        var larger = Need.Memory.of(2000);
        var one = new Need.Cards(one(), Optional.empty(), larger);
        var two = new Need.Cards(Need.Count.of(2), Optional.empty(), larger);
        assertThat(code(ask(revise(before, needing(before, two))))).isEqualTo("lane.need");
        assertThat(code(ask(revise(before, needing(before, Need.CPU))))).isEqualTo("lane.need");
        assertThat(ask(revise(before, needing(before, one)))).isInstanceOf(Reply.Granted.class);
        assertThat(task(2).spec().need()).isEqualTo(one);
    }

    private Command.Revise revise(TaskSpec before, TaskSpec after) {
        return new Command.Revise(now, ANN, new TaskId(2), before, after);
    }

    private static TaskSpec needing(TaskSpec spec, Need need) {
        return TaskSpec.of(spec.name(), spec.command(), need, spec.workDir())
                .from(spec.source())
                .with(spec.lane().orElseThrow(), spec.mostRetries());
    }

    @Test
    void rulesThatCouldNotBeKeptDoNotHold() {
        started(block(1, 1));
        store.failNextCommits(1, StoreFailure.Kind.FULL);
        assertThat(ask(new Command.Retune(now, ANN, Rules.USUAL, tuning)))
                .isInstanceOf(Reply.Unavailable.class);
        assertThat(engine.planner().rules()).isEqualTo(rules);
    }

    @Test
    void aTaskKeepsItsPlaceInTheFileThoughABlockIsLeftOut() {
        var many = new Block(1, 1, List.of("true"), 0, Need.Count.of(9));
        var reply = (Reply.Ran) ask(starting(many, block(3, 1), block(5, 2)));
        assertThat(task(reply.run().first().value()).spec().ofRun().orElseThrow().index())
                .isEqualTo(1);
        assertThat(task(reply.run().first().value() + 1).spec().ofRun().orElseThrow().index())
                .isZero();
    }

    @Test
    void otherRulesHoldFromTheNextPassOn() {
        started(block(1, 1), block(2, 2));
        come(first());
        ask(new Command.StopRun(now, ANN, 1, false));
        retune(Rules.USUAL.with(new LaneRules(Optional.empty(), 4, false)));
        tick();
        var run = (Reply.Ran) ask(starting("other", block(1, 1)));
        tick();
        assertThat(state(run.run().first().value())).isInstanceOf(TaskState.Queued.class);
        retune(rules);
        assertThat(engine.due()).isEqualTo(now);
        tick();
        assertThat(state(run.run().first().value())).isInstanceOf(TaskState.Running.class);
    }

    // What the tests say.

    private static Need.Count one() {
        return Need.Count.of(1);
    }

    private static Duration minute() {
        return Duration.ofMinutes(1);
    }

    private static Block block(int line, int queue) {
        return new Block(line, queue, List.of("python train.py --id {uni_id}"), 1000, one());
    }

    private Command.StartRun starting(Block... blocks) {
        return starting("command_gpu.txt", blocks);
    }

    private Command.StartRun starting(String file, Block... blocks) {
        var form =
                new Command.RunForm(
                        Mode.SINGLE,
                        OptionalInt.of(0),
                        file,
                        LaneRun.Origin.CONSOLE,
                        Priority.NORMAL,
                        "/");
        return new Command.StartRun(now, ANN, form, List.of(blocks));
    }

    private LaneRun started(Block... blocks) {
        return ((Reply.Ran) ask(starting(blocks))).run();
    }

    private void submit(TaskSpec spec) {
        ask(new Command.Submit(now, ANN, spec, Optional.empty()));
    }

    private Tuning tuning(int atOnce, Duration delay) {
        return new Tuning(
                new Backoff(atOnce, Duration.ofSeconds(5)), OptionalInt.empty(), delay, minute());
    }

    private void retune(Tuning other) {
        ask(new Command.Retune(now, ANN, rules, other));
    }

    private void retune(Rules other) {
        ask(new Command.Retune(now, ANN, other, tuning));
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

    private Run life() {
        return new Run(new ProcessKey("boot-1", 7, 7), now);
    }

    private void say(long task, boolean isWell, String type) {
        var said = new Said(isWell, Optional.of(type).filter(word -> !word.isEmpty()), now);
        observe(new Fact.Spoken(attempt(task, task(task).attempts()), said));
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
        var cards = new ArrayList<CardState>();
        for (int index = 0; index < count; index++) {
            cards.add(
                    new CardState.Readable(
                            new Card(new CardId("here", "GPU-" + index), index, "A", 24_000),
                            new Reading(
                                    OptionalLong.of(0),
                                    OptionalLong.of(24_000),
                                    OptionalInt.of(0),
                                    OptionalInt.of(40))));
        }
        observe(new Fact.CardsRead("here", cards));
    }

    private void observe(Fact fact) {
        engine.run(List.of(new Engine.Envelope(new Command.Observe(now, fact), _ -> {})), now);
    }

    private void tick() {
        engine.run(List.of(new Engine.Envelope(new Command.Tick(now), _ -> {})), now);
    }

    private void pass(Duration time) {
        now = now.plus(time);
        tick();
    }

    private Reply ask(Command.Request request) {
        var replies = new ArrayList<Reply>();
        engine.run(List.of(new Engine.Envelope(request, replies::add)), now);
        return replies.getFirst();
    }

    private static String code(Reply reply) {
        return reply instanceof Reply.Refused(var why) ? why.code() : reply.toString();
    }
}

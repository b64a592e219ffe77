package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.plan.WaitReason.Paused.PauseCause;
import dev.berth.core.task.Ending;
import dev.berth.core.task.MachineFault;
import dev.berth.core.task.MachineFault.Kind;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskState;
import dev.berth.port.Fact;
import dev.berth.port.Failpoints;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.EventPayload;
import dev.berth.port.event.NodeAlert;
import dev.berth.port.event.TaskAlert;
import dev.berth.testkit.MemoryStore;
import dev.berth.testkit.node.FakeNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Faults of the machine: no task fails by them, and starts pause until they are over. */
class LaunchFaultsTest {

    private static final Owner ANN = Owner.unix("ann");
    private static final MachineFault NO_SPACE = new MachineFault(Kind.DISK_FULL, "no space left");
    private static final MachineFault NO_PROCESS = new MachineFault(Kind.PROCESS_LIMIT, "EAGAIN");

    private final MemoryStore store = new MemoryStore();
    private final FakeNode node = new FakeNode();
    private final Instant begin = Instant.parse("2026-01-01T00:00:00Z");
    private Instant now = begin;
    private Engine engine;

    @BeforeEach
    void start() throws StoreFailure {
        var rules = SchedulingRules.DEFAULT;
        engine =
                Engine.recover(
                        new Engine.Parts(store, node, new Planner(rules), Failpoints.NONE), 0, now);
    }

    @Test
    void aTaskThatTheMachineCannotStartWaitsAgainAtItsPlaceWithoutARetry() {
        var task = submit();
        pass(Duration.ofSeconds(5));
        fault(task, 1, NO_SPACE);
        var waiting = engine.state().tasks().get(task).orElseThrow();
        assertThat(waiting.state()).isEqualTo(new TaskState.Queued());
        assertThat(waiting.retries()).isZero();
        assertThat(waiting.waitingSince()).isEqualTo(begin);
        assertThat(engine.pause())
                .contains(new WaitReason.Paused(PauseCause.MACHINE_FAULT, NO_SPACE.detail()));
        assertThat(engine.problems()).singleElement().asString().contains(NO_SPACE.detail());
    }

    /** The node has closed the attempt, so its command has not run and cannot. */
    @Test
    void aTaskThatDidNotComeUpInTimeWaitsAgainWithoutARetry() {
        var task = submit();
        observe(
                new Fact.Ended(
                        new AttemptId(task, 1), new Ending.StartTimedOut("late"), List.of()));
        var waiting = engine.state().tasks().get(task).orElseThrow();
        assertThat(waiting.state()).isEqualTo(new TaskState.Queued());
        assertThat(waiting.retries()).isZero();
        assertThat(engine.pause())
                .contains(new WaitReason.Paused(PauseCause.MACHINE_FAULT, "late"));
        pass(Duration.ofSeconds(30));
        assertThat(node.launched).contains(new AttemptId(task, 2));
    }

    @Test
    void manyFaultsRaiseOneAlertAndOneTaskAtATimeTriesAtGrowingIntervals() {
        var tasks = List.of(submit(), submit(), submit(), submit());
        tasks.forEach(task -> fault(task, 1, NO_SPACE));
        assertThat(alerts(NodeAlert.StartsPaused.class)).hasSize(1);
        int before = node.launched.size();
        var tries = new ArrayList<Long>();
        while (tries.size() < 9) {
            pass(Duration.ofMillis(500));
            if (node.launched.size() > before) {
                assertThat(node.launched).as("one at a time").hasSize(++before);
                tries.add(Duration.between(begin, now).toSeconds());
                var attempt = node.launched.getLast();
                fault(attempt.task(), attempt.number(), NO_SPACE);
            }
        }
        assertThat(tries).containsExactly(2L, 4L, 8L, 16L, 32L, 64L, 124L, 184L, 244L);
        assertThat(alerts(NodeAlert.StartsPaused.class)).hasSize(1);
        assertThat(alerts(TaskAlert.CannotStart.class)).isEmpty();
    }

    @Test
    void whenATryStartsAllTasksStartInTheirOrderAndOneAlertSaysSo() {
        var first = submit();
        var second = submit();
        var third = submit();
        for (var task : List.of(first, second, third)) {
            fault(task, 1, NO_SPACE);
        }
        pass(Duration.ofSeconds(2));
        assertThat(node.launched).hasSize(4);
        observe(new Fact.Started(new AttemptId(first, 2), shim()));
        assertThat(engine.pause()).isEmpty();
        assertThat(node.launched)
                .extracting(AttemptId::task)
                .containsExactly(first, second, third, first, second, third);
        assertThat(alerts(NodeAlert.StartsResumed.class)).hasSize(1);
        assertThat(engine.problems()).isEmpty();
    }

    @Test
    void anAttemptOfBeforeThatFaultsLateRaisesNoSecondAlert() {
        var first = submit();
        var late = submit();
        fault(first, 1, NO_SPACE);
        pass(Duration.ofSeconds(2));
        observe(new Fact.Started(new AttemptId(first, 2), shim()));
        fault(late, 1, NO_SPACE);
        assertThat(engine.pause()).isEmpty();
        assertThat(alerts(NodeAlert.StartsPaused.class)).hasSize(1);
    }

    @Test
    void atTheProcessLimitATryMustOutliveTheShellsOwnTries() {
        var task = submit();
        fault(task, 1, NO_PROCESS);
        pass(Duration.ofSeconds(2));
        observe(new Fact.Started(new AttemptId(task, 2), shim()));
        pass(Duration.ofSeconds(15));
        assertThat(engine.pause()).isPresent();
        fault(task, 2, NO_PROCESS);
        pass(Duration.ofSeconds(4));
        observe(new Fact.Started(new AttemptId(task, 3), shim()));
        assertThat(engine.due()).isBeforeOrEqualTo(now.plusSeconds(20));
        pass(Duration.ofSeconds(20));
        assertThat(engine.pause()).isEmpty();
        assertThat(alerts(NodeAlert.StartsPaused.class)).hasSize(1);
        assertThat(alerts(NodeAlert.StartsResumed.class)).hasSize(1);
    }

    @Test
    void aTryThatIsCancelledLetsAnotherTaskTry() {
        var first = submit();
        var second = submit();
        fault(first, 1, NO_SPACE);
        observe(new Fact.Ended(new AttemptId(second, 1), new Ending.Exited(0), List.of()));
        var third = submit();
        pass(Duration.ofSeconds(2));
        var probe = node.launched.getLast();
        ask(new EngineCommand.Cancel(now, ANN, probe.task()));
        observe(new Fact.Ended(probe, new Ending.NeverStarted(), List.of()));
        assertThat(node.launched.getLast().task()).isNotEqualTo(probe.task()).isIn(first, third);
    }

    @Test
    void aTaskThatFaultsWhileOthersStartWaitsAlone() {
        var bad = submit();
        var good = submit();
        observe(new Fact.Ended(new AttemptId(good, 1), new Ending.Exited(0), List.of()));
        var other = submit();
        fault(bad, 1, NO_SPACE);
        observe(new Fact.Ended(new AttemptId(other, 1), new Ending.Exited(0), List.of()));
        var probe = submit();
        pass(Duration.ofSeconds(1));
        observe(new Fact.Started(new AttemptId(probe, 1), shim()));
        assertThat(node.launched).last().isEqualTo(new AttemptId(bad, 2));
        for (int number = 2; number < 6; number++) {
            fault(bad, number, NO_SPACE);
            assertThat(engine.pause()).isEmpty();
            var next = submit();
            assertThat(node.launched.getLast().task()).isEqualTo(next);
            assertThat(engine.why(engine.state().tasks().get(bad).orElseThrow(), now))
                    .isInstanceOfSatisfying(
                            Verdict.Wait.class,
                            wait ->
                                    assertThat(wait.reasons())
                                            .hasAtLeastOneElementOfType(
                                                    WaitReason.CouldNotStart.class));
            pass(Duration.ofMinutes(10));
            assertThat(node.launched).last().isEqualTo(new AttemptId(bad, number + 1));
        }
        assertThat(alerts(NodeAlert.StartsPaused.class)).hasSize(1);
        assertThat(alerts(TaskAlert.CannotStart.class)).hasSize(1);
    }

    @Test
    void theOnlyTaskTriesItselfAndWithoutAnyTaskThePauseEnds() {
        var only = submit();
        fault(only, 1, NO_SPACE);
        pass(Duration.ofSeconds(2));
        assertThat(node.launched).last().isEqualTo(new AttemptId(only, 2));
        fault(only, 2, NO_SPACE);
        ask(new EngineCommand.Cancel(now, ANN, only));
        pass(Duration.ofSeconds(5));
        assertThat(engine.pause()).isEmpty();
    }

    @Test
    void theMonitorAndALaunchThatFindTheSameFullDiskRaiseOneAlert() {
        var task = submit();
        fault(task, 1, NO_SPACE);
        observe(new Fact.DiskSpaceRead("here", true, 0));
        observe(new Fact.DiskSpaceRead("here", false, 900));
        pass(Duration.ofSeconds(5));
        observe(new Fact.Started(new AttemptId(task, 2), shim()));
        assertThat(alerts(NodeAlert.class))
                .extracting(alert -> alert.getClass().getSimpleName())
                .containsExactly("StartsPaused", "StartsResumed");
    }

    @Test
    void aLaunchThatFindsTheDiskFullWhichIsKnownToBeLowRaisesNoAlert() {
        var task = submit();
        observe(new Fact.DiskSpaceRead("here", true, 0));
        fault(task, 1, NO_SPACE);
        observe(new Fact.DiskSpaceRead("here", false, 900));
        pass(Duration.ofSeconds(5));
        observe(new Fact.Started(new AttemptId(task, 2), shim()));
        assertThat(alerts(NodeAlert.class))
                .extracting(alert -> alert.getClass().getSimpleName())
                .containsExactly("DiskLow", "DiskRecovered");
    }

    private TaskId submit() {
        var spec = TaskSpec.of("train", "true", Need.CPU, "/");
        var reply = ask(new EngineCommand.Submit(now, ANN, spec, Optional.empty()));
        return ((EngineReply.TaskAccepted) reply).task();
    }

    private EngineReply ask(EngineCommand command) {
        var replies = new ArrayList<EngineReply>();
        engine.run(List.of(new Engine.Envelope(command, replies::add)), now);
        return replies.getFirst();
    }

    private void observe(Fact fact) {
        ask(new EngineCommand.Observe(now, fact));
    }

    private void fault(TaskId task, int number, MachineFault fault) {
        var attempt = new AttemptId(task, number);
        assertThat(node.launched).contains(attempt);
        observe(new Fact.Ended(attempt, new Ending.NotLaunched(fault), List.of()));
    }

    private void pass(Duration time) {
        now = now.plus(time);
        ask(new EngineCommand.Tick(now));
    }

    private ShimProcess shim() {
        return new ShimProcess(new ProcessKey("boot-1", 100, 1000), now);
    }

    private List<EventPayload> alerts(Class<?> type) {
        return store.eventsAfter(0, 10_000).stream()
                .map(event -> event.payload())
                .filter(type::isInstance)
                .toList();
    }
}

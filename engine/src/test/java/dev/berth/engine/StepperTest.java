package dev.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.WaitReason.Paused;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.EngineMeter;
import dev.berth.port.Event;
import dev.berth.port.Fact;
import dev.berth.testkit.MemoryStore;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/** Deciding is a function of values: a dropped step leaves no trace. */
class StepperTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final Owner ANN = Owner.unix("ann");
    private static final GpuId GPU = new GpuId("here", "GPU-0");

    private final Stepper stepper =
            new Stepper(
                    QueueSettings.DEFAULT,
                    new TaskStarter.NodeSession("here", "boot-1", 1, Optional.empty()),
                    EngineMeter.NONE);
    private final StepState initial =
            stepper.initial(
                    EngineState.of(new MemoryStore().open(), QueueSettings.DEFAULT.order(), 0),
                    new Planner(SchedulingRules.DEFAULT),
                    AttemptSettings.DEFAULT);

    private static EngineCommand submit(Need need) {
        var spec = TaskSpec.of("train", "true", need, "/");
        return new EngineCommand.Submit(NOON, ANN, spec, Optional.empty());
    }

    private static EngineCommand read() {
        var card = new Gpu(GPU, 0, "Simulated", 24_576);
        var reading =
                new GpuReading(
                        OptionalLong.of(0),
                        OptionalLong.of(24_576),
                        OptionalInt.of(0),
                        OptionalInt.of(40));
        var state = new GpuState.Readable(card, reading);
        return new EngineCommand.Observe(NOON, new Fact.GpusRead("here", List.of(state)));
    }

    private static EngineCommand readMany(int count, long usedOnFirst) {
        var states = new ArrayList<GpuState>();
        for (int index = 0; index < count; index++) {
            long used = index == 0 ? usedOnFirst : 0;
            var card = new Gpu(new GpuId("here", "GPU-" + index), index, "Simulated", 24_576);
            var reading =
                    new GpuReading(
                            OptionalLong.of(used),
                            OptionalLong.of(24_576 - used),
                            OptionalInt.of(0),
                            OptionalInt.of(40));
            states.add(new GpuState.Readable(card, reading));
        }
        return new EngineCommand.Observe(NOON, new Fact.GpusRead("here", states));
    }

    /** With a thousand GPUs, most are the same in each reading. */
    @Test
    void aReadingReplacesOnlyTheGpusThatChanged() {
        var before = step(initial, readMany(100, 0)).next();
        var same = step(before, readMany(100, 0)).next();
        var changed = step(before, readMany(100, 500)).next();

        assertThat(same.state().gpus()).isSameAs(before.state().gpus());
        var first = new GpuId("here", "GPU-0");
        assertThat(changed.state().gpus().get(first))
                .isNotEqualTo(before.state().gpus().get(first));
        assertThat(changed.state().gpus())
                .filteredOn(entry -> !entry.getKey().equals(first))
                .allSatisfy(
                        entry ->
                                assertThat(entry.getValue())
                                        .isSameAs(
                                                before.state()
                                                        .gpus()
                                                        .get(entry.getKey())
                                                        .orElseThrow()));
    }

    @Test
    void aGpuThatIsMissingFromAReadingIsUnknown() {
        var before = step(initial, readMany(3, 0)).next();
        var after = step(before, readMany(2, 0)).next();
        assertThat(after.state().gpus().get(new GpuId("here", "GPU-2")).orElseThrow())
                .isInstanceOf(GpuState.Unknown.class);
    }

    @Test
    void withoutQueuedTasksThereIsNoSchedulingPass() {
        var passes = new AtomicInteger();
        var counting =
                new Stepper(
                        QueueSettings.DEFAULT,
                        new TaskStarter.NodeSession("here", "boot-1", 1, Optional.empty()),
                        new EngineMeter() {
                            @Override
                            public Stopwatch startTiming(TimedStep step) {
                                passes.incrementAndGet();
                                return () -> {};
                            }

                            @Override
                            public void eventCommitted(Event event) {}
                        });
        var idle = counting.step(initial, List.of(readMany(2, 0)), NOON).next();
        idle = counting.step(idle, List.of(readMany(2, 500)), NOON).next();
        assertThat(passes).hasValue(0);
        var step = counting.step(idle, List.of(submit(Need.gpus(1))), NOON);
        assertThat(passes).hasValue(1);
        assertThat(step.effects()).hasSize(1);
    }

    private Step step(StepState from, EngineCommand... batch) {
        return stepper.step(from, List.of(batch), NOON);
    }

    @Test
    void theSameInputGivesTheSameStepHoweverOftenItWasDropped() {
        var first = step(initial, read(), submit(Need.gpus(1)), submit(Need.gpus(1)));
        var again = step(initial, read(), submit(Need.gpus(1)), submit(Need.gpus(1)));

        assertThat(again).isEqualTo(first);
        assertThat(first.replies()).hasSize(3);
        assertThat(first.effects()).hasSize(1).first().isInstanceOf(Effect.Launch.class);
        assertThat(first.next().state().tasks().size()).isEqualTo(2);
        assertThat(initial.state().tasks().isEmpty()).isTrue();
    }

    @Test
    void aDroppedPassThatStartedNothingIsRunAgain() {
        var waiting = step(initial, read(), submit(Need.gpus(1)), submit(Need.gpus(1))).next();

        var first = step(waiting, new EngineCommand.Tick(NOON));
        assertThat(waiting.idlePass()).as("it started a task").isEmpty();
        assertThat(first.next().idlePass()).isPresent();
        assertThat(step(waiting, new EngineCommand.Tick(NOON))).isEqualTo(first);
    }

    @Test
    void newRulesArePartOfTheNextStateAndDueAtOnce() {
        var other =
                new AttemptSettings(
                        AttemptSettings.DEFAULT.backoff(),
                        OptionalInt.of(7),
                        Duration.ZERO,
                        Duration.ofMinutes(1));

        var step =
                step(
                        initial,
                        new EngineCommand.ChangeRules(
                                NOON, ANN, SchedulingRules.DEFAULT, other, List.of()));

        assertThat(step.due()).isEqualTo(NOON);
        assertThat(step.next().deciders().attemptSettings()).isEqualTo(other);
        assertThat(initial.deciders().attemptSettings()).isEqualTo(AttemptSettings.DEFAULT);
    }

    @Test
    void aTickMovesTheNextPurgeInTheNextStateOnly() {
        var step = step(initial, new EngineCommand.Tick(NOON));

        assertThat(initial.isDue(NOON)).isTrue();
        assertThat(step.next().isDue(NOON)).isFalse();
        assertThat(step.next().isDue(NOON.plus(Duration.ofMinutes(10)))).isTrue();
    }

    @Test
    void aFactThatCannotBeTakenInHaltsStartsInTheNextStateAndNothingElse() {
        // No decider takes a null.
        var broken = new EngineCommand.Observe(NOON, nothing());

        var step = step(initial, broken, submit(Need.CPU));

        assertThat(step.defects())
                .singleElement()
                .extracting(Step.Defect::what)
                .isEqualTo("Observe");
        assertThat(step.next().pause().map(Paused::cause))
                .contains(Paused.PauseCause.INVARIANT_BROKEN);
        assertThat(step.next().state().tasks().size()).as("the other command").isEqualTo(1);
        assertThat(step.effects()).as("nothing starts").isEmpty();
        assertThat(initial.pause()).isEmpty();
    }

    /** What no caller may pass. */
    @SuppressWarnings({"NullAway", "DataFlowIssue"})
    private static Fact nothing() {
        return null;
    }
}

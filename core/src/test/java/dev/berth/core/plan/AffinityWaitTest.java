package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.model.ModelTimes;
import dev.berth.core.model.WarmModels;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** GPU 0 has the model loaded and is at work; GPU 1 is free. */
class AffinityWaitTest {

    private static final Planner OFF = new Planner(SchedulingRules.DEFAULT);
    private static final Planner AUTO = planner();

    private final SnapshotBuilder now = new SnapshotBuilder();

    private static Planner planner() {
        var rules = SchedulingRules.DEFAULT;
        return new Planner(
                new SchedulingRules(
                        rules.memoryThresholdPercent(),
                        rules.foreign(),
                        rules.pool(),
                        rules.estimates(),
                        new ModelCache(2, Duration.ofHours(1), true),
                        rules.maxCpuTasks(),
                        rules.lanes()));
    }

    private void given(int load, int run, int elapsed, WarmWorker.Status status) {
        now.card(0, "A", 0);
        now.card(1, "A", 0);
        now.hold(0, 1);
        var worker =
                new WarmWorker(
                        SnapshotBuilder.attempt(50),
                        "mace",
                        SnapshotBuilder.id(0),
                        10,
                        status,
                        Optional.of(SnapshotBuilder.attempt(1)),
                        SnapshotBuilder.NOW.minusSeconds(elapsed));
        var times = new ModelTimes(Duration.ofSeconds(load), Duration.ofSeconds(run));
        now.warm =
                new WarmModels(
                        PersistentMap.<GpuId, List<WarmWorker>>empty()
                                .with(SnapshotBuilder.id(0), List.of(worker)),
                        PersistentMap.empty(),
                        PersistentMap.<String, ModelTimes>empty().with("mace", times),
                        PersistentMap.empty());
    }

    private void call(long id, Optional<GpuIndices> devices) {
        var memory = Need.GpuMemory.of(10);
        var need =
                devices.map(named -> Need.Gpus.on(named, Optional.empty(), memory))
                        .orElse(new Need.Gpus(Need.GpuCount.of(1), Optional.empty(), memory));
        var work = new ModelWork(Optional.of("mace"), Optional.empty(), 0, true);
        now.queue(id, "ann", TaskSpec.of("call", "{}", need, "/").with(work));
    }

    private List<Long> started(Planner planner) {
        return planner.plan(now.snapshot()).starts().stream()
                .map(start -> start.task().value())
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "a load takes longer than the rest of the task,   60, 20,   5, 1, true",
        "the rest takes longer than a load,               10, 20,   5, 1, false",
        "the first ones wait and there are few,            60, 20,   5, 3, true",
        "another worker pays for many,                    60, 20,   5, 5, false",
        "a task that is a little late may end any time,   60, 20,  50, 1, true",
        "nobody waits for one that never ends,            60, 20, 100, 1, false",
    })
    void aTaskWaitsWhereThatIsFaster(
            String why, int load, int run, int elapsed, int waiting, boolean waits) {
        given(load, run, elapsed, WarmWorker.Status.READY);
        for (int i = 0; i < waiting; i++) {
            call(10 + i, Optional.empty());
        }
        assertThat(started(OFF)).as(why).containsExactly(10L);
        assertThat(started(AUTO)).as(why).isEqualTo(waits ? List.of() : List.of(10L));
    }

    @ParameterizedTest
    @CsvSource({"50, true", "10, false"})
    void aWorkerThatIsAboutToBeReadyIsWaitedForToo(int elapsed, boolean waits) {
        given(60, 20, elapsed, WarmWorker.Status.LOADING);
        call(10, Optional.empty());
        assertThat(started(AUTO)).isEqualTo(waits ? List.of() : List.of(10L));
    }

    @Test
    void theReasonNamesBothTimesAndOthersAreNotBlocked() {
        given(60, 20, 5, WarmWorker.Status.READY);
        call(10, Optional.empty());
        now.queue(11, Need.gpus(1));

        assertThat(started(AUTO)).containsExactly(11L);
        now.waiting = now.waiting.without(task(11));
        assertThat(AUTO.explain(now.snapshot(), task(10)).toString())
                .contains("WarmElsewhere[model=mace, load=PT1M, freeIn=PT15S]");
    }

    private Task task(long id) {
        return now.waiting.all().filter(one -> one.id().value() == id).findFirst().orElseThrow();
    }

    @Test
    void aTaskThatNamesItsGpuDoesNotWaitForAnother() {
        given(60, 20, 5, WarmWorker.Status.READY);
        call(10, Optional.of(GpuIndices.of(1)));
        assertThat(started(AUTO)).containsExactly(10L);
    }

    @Test
    void aFreeWorkerOfTheModelIsUsed() {
        given(60, 20, 5, WarmWorker.Status.READY);
        var idle =
                new WarmWorker(
                        SnapshotBuilder.attempt(51),
                        "mace",
                        SnapshotBuilder.id(1),
                        10,
                        WarmWorker.Status.READY,
                        Optional.empty(),
                        SnapshotBuilder.T0);
        now.warm =
                new WarmModels(
                        now.warm.workers().with(SnapshotBuilder.id(1), List.of(idle)),
                        PersistentMap.empty(),
                        now.warm.times(),
                        PersistentMap.empty());
        call(10, Optional.empty());
        assertThat(started(AUTO)).containsExactly(10L);
    }
}

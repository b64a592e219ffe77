package dev.berth.app.bench;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Backfill;
import dev.berth.core.plan.BestScorePlacement;
import dev.berth.core.plan.Fleet;
import dev.berth.core.plan.HeldClaim;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.queue.FairShareOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.Claim;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Measures one scheduling pass, by the number of queued tasks and of free GPUs. */
final class PassBench {

    private static final int GPUS = 1000;
    private static final int SHAPES = 50;
    private static final int LARGE = 64;
    private static final int USERS = 20;
    private static final int WARM_UP = 300;
    private static final int PASSES = 1000;
    private static final long GPU_MIB = 81_920;
    private static final Duration SHORT = Duration.ofMinutes(1);
    private static final Duration LONG = Duration.ofHours(10);
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static final LearnedBounds BOUNDS = learned();

    private static LearnedBounds learned() {
        var bounds = new LearnedBounds(NOW);
        for (int id = 1; id <= SHAPES * USERS; id++) {
            bounds.learn(waitingTask(id), id % 10 == 9 ? SHORT : LONG);
        }
        for (int index = 0; index < GPUS; index++) {
            bounds.run(index);
        }
        return bounds;
    }

    private final QueueOrder order = new FairShareOrder(UserWeights.EQUAL);

    /**
     * Passes over a short and a long queue, alternating, so that both see the same load of the
     * machine.
     */
    record PassTimes(Percentiles shortQueue, Percentiles longQueue, int starts) {}

    /**
     * @param free GPUs without a claim
     * @param backfill the backfill policy; greedy examines every shape, and safe keeps GPUs for a
     *     large task at the head
     */
    PassTimes run(int shortLength, int longLength, int free, Backfill backfill) {
        var planner = new Planner(SchedulingRules.DEFAULT, backfill, new BestScorePlacement());
        var fleet = fleet(free);
        boolean isSafe = backfill instanceof Backfill.Safe;
        var shortQueue = snapshot(shortLength, fleet, isSafe);
        var longQueue = snapshot(longLength, fleet, isSafe);
        int starts = 0;
        for (int i = 0; i < WARM_UP; i++) {
            starts = planner.plan(shortQueue).starts().size();
            starts = Math.max(starts, planner.plan(longQueue).starts().size());
        }
        var millis = new double[2][PASSES];
        for (int i = 0; i < PASSES; i++) {
            millis[0][i] = time(planner, shortQueue);
            millis[1][i] = time(planner, longQueue);
        }
        return new PassTimes(Percentiles.of(millis[0]), Percentiles.of(millis[1]), starts);
    }

    private static double time(Planner planner, Snapshot snapshot) {
        long begin = System.nanoTime();
        var _ = planner.plan(snapshot);
        return (System.nanoTime() - begin) / 1e6;
    }

    private Snapshot snapshot(int tasks, Fleet fleet, boolean hasLargeHead) {
        var waiting = WaitingTasks.none(order);
        if (hasLargeHead) {
            var spec = TaskSpec.of("large", "true", Need.gpus(LARGE), "/").with(Priority.HIGH);
            waiting =
                    waiting.with(Task.queued(new TaskId(tasks + 1), Owner.unix("big"), spec, NOW));
        }
        for (int id = 1; id <= tasks; id++) {
            waiting = waiting.with(waitingTask(id));
        }
        return new Snapshot(NOW, waiting, fleet, new TreeMap<>(), 0, Optional.empty()).with(BOUNDS);
    }

    /** One in ten is short; all of these name their GPUs, so that the search for others is long. */
    private static Task waitingTask(int id) {
        var name = id % 10 == 9 ? "short" : "long";
        var spec = TaskSpec.of(name, "true", need(id % SHAPES), "/");
        var owner = Owner.unix("user-" + id % USERS);
        return Task.queued(new TaskId(id), owner, spec, NOW.plusNanos(id * 1000L));
    }

    /** Half of the shapes leave the choice of GPUs to the scheduler, half name theirs. */
    private static Need need(int shape) {
        if (shape % 2 == 0) {
            return new Need.Gpus(
                    Need.GpuCount.of(1 + shape % 4),
                    Optional.empty(),
                    Need.GpuMemory.of(1000L + 100 * shape));
        }
        var devices = GpuIndices.of(shape * 7 % GPUS, shape * 11 % GPUS);
        return Need.Gpus.on(devices, Optional.empty(), Need.GpuMemory.UNSTATED);
    }

    private static Fleet fleet(int free) {
        PersistentMap<GpuId, GpuState> gpus = PersistentMap.empty();
        PersistentMap<GpuId, List<HeldClaim>> holds = PersistentMap.empty();
        for (int index = 0; index < GPUS; index++) {
            var gpu = new Gpu(new GpuId("here", "GPU-" + index), index, "A", GPU_MIB);
            gpus = gpus.with(gpu.id(), new GpuState.Readable(gpu, reading(index)));
            if (index >= free) {
                var attempt = new AttemptId(LearnedBounds.runningTask(index), 1);
                holds =
                        holds.with(
                                gpu.id(),
                                List.of(new HeldClaim(attempt, new Claim(gpu.id(), 0, true))));
            }
        }
        var emptyFleet = Fleet.of(gpus);
        return new Fleet(
                gpus, holds, emptyFleet.releasing(), emptyFleet.releasedAt(), emptyFleet.loaded());
    }

    private static GpuReading reading(int index) {
        return new GpuReading(
                OptionalLong.of(0),
                OptionalLong.of(GPU_MIB),
                OptionalInt.of(0),
                OptionalInt.of(30 + index % 50));
    }
}

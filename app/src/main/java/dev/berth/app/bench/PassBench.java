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
import dev.berth.core.plan.StartConditions;
import dev.berth.core.plan.UserLoads;
import dev.berth.core.queue.FairShareOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.reserve.ReservationHolder;
import dev.berth.core.reserve.ReservedGpus;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.Claim;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

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

    private static final int LIMITED_USERS = 50;
    private static final int GROUPS = 5;

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

    /**
     * The same with 50 users of whom each has limits and is in a group with limits and a weight,
     * and with a reservation for each group. Each user runs tasks on 10 GPUs.
     */
    PassTimes runWithLimits(int shortLength, int longLength, int free) {
        var rules = SchedulingRules.DEFAULT.with(limits());
        var planner = new Planner(rules, new Backfill.Safe(), new BestScorePlacement());
        var fleet = fleet(free);
        var shortQueue = limited(shortLength, fleet);
        var longQueue = limited(longLength, fleet);
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

    private static LimitRules limits() {
        var ofGroups = new TreeMap<String, SortedMap<LimitKey, Double>>();
        var ofUsers = new TreeMap<String, SortedMap<LimitKey, Double>>();
        for (int group = 0; group < GROUPS; group++) {
            ofGroups.put(
                    "group-" + group,
                    new TreeMap<>(Map.of(LimitKey.GPU_HOURS_PER_DAY, 100.0 * group)));
        }
        for (int user = 0; user < LIMITED_USERS; user++) {
            // Some are at their limit, some below.
            ofUsers.put(
                    "user-" + user,
                    new TreeMap<>(
                            Map.of(
                                    LimitKey.MAX_GPUS,
                                    8.0 + user % 5,
                                    LimitKey.MAX_RUNNING,
                                    9.0 + user % 4)));
        }
        return new LimitRules(new TreeMap<>(), ofGroups, ofUsers);
    }

    private static Snapshot limited(int tasks, Fleet fleet) {
        var groups = UserGroups.NONE;
        var weights = new TreeMap<String, Double>();
        var running = new TreeMap<AttemptId, UserLoads.RunningLoad>();
        for (int user = 0; user < LIMITED_USERS; user++) {
            var owner = Owner.unix("user-" + user);
            var group = "group-" + user % GROUPS;
            weights.put(group, 1.0 + user % GROUPS);
            groups = groups.with(owner.principal(), new TreeSet<>(List.of(group, "staff")));
            for (int task = 0; task < 10; task++) {
                var attempt =
                        new AttemptId(LearnedBounds.runningTask(GPUS - 1 - user * 10 - task), 1);
                running.put(
                        attempt,
                        new UserLoads.RunningLoad(owner, 1, NOW.minus(SHORT), Optional.empty()));
            }
        }
        var reservations = PersistentMap.<Long, Reservation>empty();
        for (long id = 1; id <= GROUPS; id++) {
            reservations = reservations.with(id, reservation(id));
        }
        var order = new FairShareOrder(new UserWeights(new TreeMap<>(), weights)).with(groups);
        var waiting = WaitingTasks.none(order);
        for (int id = 1; id <= tasks; id++) {
            var spec = TaskSpec.of(id % 10 == 9 ? "short" : "long", "true", need(id % SHAPES), "/");
            var owner = Owner.unix("user-" + id / SHAPES % LIMITED_USERS);
            waiting =
                    waiting.with(
                            Task.queued(new TaskId(id), owner, spec, NOW.plusNanos(id * 1000L)));
        }
        return new Snapshot(NOW, waiting, fleet, new TreeMap<>(), StartConditions.NONE)
                .with(BOUNDS)
                .with(new UserLoads(groups, new TreeMap<>(), running), reservations);
    }

    private static Reservation reservation(long id) {
        return new Reservation(
                id,
                new ReservationHolder.ForGroup("group-" + (id - 1)),
                new ReservedGpus.AnyGpus(4),
                new Reservation.Schedule(NOW.plus(LONG), LONG, true, ZoneOffset.UTC),
                "",
                Owner.unix("root"),
                NOW);
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
        return new Snapshot(NOW, waiting, fleet, new TreeMap<>(), StartConditions.NONE)
                .with(BOUNDS);
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

package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.model.WarmModels;
import dev.berth.core.queue.HourlyUsage;
import dev.berth.core.queue.PriorityOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.reserve.Reservation;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/** Builds a snapshot: GPUs of 100 MiB unless stated, tasks one second apart. */
final class SnapshotBuilder {

    static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    static final Instant NOW = T0.plus(Duration.ofHours(1));

    final TreeMap<String, Double> used = new TreeMap<>();
    WaitingTasks waiting;
    PersistentMap<GpuId, GpuState> cards = PersistentMap.empty();
    PersistentMap<GpuId, List<HeldClaim>> holds = PersistentMap.empty();
    PersistentMap<GpuId, List<AttemptId>> leaving = PersistentMap.empty();
    PersistentMap<GpuId, Instant> releasedAt = PersistentMap.empty();
    PersistentMap<GpuId, List<String>> loaded = PersistentMap.empty();
    WarmModels warm = WarmModels.NONE;
    Optional<WaitReason.Paused> pause = Optional.empty();
    final TreeSet<Long> spacing = new TreeSet<>();
    Instant now = NOW;
    RunBounds bounds = RunBounds.UNKNOWN;
    UserGroups groups = UserGroups.NONE;
    final TreeMap<String, HourlyUsage> ended = new TreeMap<>();
    final TreeMap<AttemptId, UserLoads.RunningLoad> running = new TreeMap<>();
    PersistentMap<Long, Reservation> reservations = PersistentMap.empty();
    int cpuTasks;

    SnapshotBuilder(QueueOrder order) {
        waiting = WaitingTasks.none(order);
    }

    SnapshotBuilder() {
        this(new PriorityOrder(UserWeights.EQUAL));
    }

    Snapshot snapshot() {
        var fleet = new Fleet(cards, holds, leaving, releasedAt, loaded, warm);
        return new Snapshot(
                now,
                waiting,
                fleet,
                used,
                new StartConditions(cpuTasks, spacing, new TreeMap<>(), pause),
                bounds,
                new UserLoads(groups, ended, running),
                reservations,
                Optional.empty());
    }

    Task queue(long id, Priority priority, Need need) {
        return queue(id, "ann", TaskSpec.of("task " + id, "true", need, "/").with(priority));
    }

    Task queue(long id, Need need) {
        return queue(id, Priority.NORMAL, need);
    }

    Task queue(long id, String owner, TaskSpec spec) {
        var task = task(id, owner, spec);
        waiting = waiting.with(task);
        return task;
    }

    /** A task of a file run; of a multi file if the count is above 1. */
    Task lane(long id, Lane.OfFileRun lane, Need.GpuCount count, long mib) {
        var need = new Need.Gpus(count, Optional.empty(), Need.GpuMemory.of(mib));
        var spec = TaskSpec.of("task " + id, "true", need, "/");
        return queue(id, "ann", spec.with(lane, OptionalInt.empty()));
    }

    static Task task(long id, String owner, TaskSpec spec) {
        return Task.queued(new TaskId(id), Owner.unix(owner), spec, T0.plusSeconds(id));
    }

    void card(int index, String model, long usedMib) {
        card(index, model, usedMib, 40);
    }

    void card(int index, String model, long usedMib, int temperature) {
        card(new Gpu(id(index), index, model, 100), 100 - usedMib, 0, temperature);
    }

    void card(Gpu card, long freeMib, int utilization, int temperature) {
        var reading =
                new GpuReading(
                        OptionalLong.of(card.totalMib() - freeMib),
                        OptionalLong.of(freeMib),
                        OptionalInt.of(utilization),
                        OptionalInt.of(temperature));
        cards = cards.with(card.id(), new GpuState.Readable(card, reading));
    }

    void hold(int index, long task) {
        hold(index, task, 0, true);
    }

    /** A running task of this user holds the GPU. */
    void hold(int index, long task, String user, Optional<Instant> latestEnd) {
        hold(index, task);
        running.put(attempt(task), new UserLoads.RunningLoad(Owner.unix(user), 1, T0, latestEnd));
    }

    void hold(int index, long task, long mib, boolean isExclusive) {
        var there = new ArrayList<>(holds.get(id(index)).orElse(List.of()));
        there.add(new HeldClaim(attempt(task), new Claim(id(index), mib, isExclusive)));
        holds = holds.with(id(index), List.copyOf(there));
    }

    static AttemptId attempt(long task) {
        return new AttemptId(new TaskId(task), 1);
    }

    static GpuId id(int index) {
        return new GpuId("here", "GPU-%04d".formatted(index));
    }
}

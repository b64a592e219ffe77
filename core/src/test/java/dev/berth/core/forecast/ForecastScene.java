package dev.berth.core.forecast;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Fleet;
import dev.berth.core.plan.HeldClaim;
import dev.berth.core.plan.RunBounds;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.StartConditions;
import dev.berth.core.plan.UserLoads;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.predict.RunTime;
import dev.berth.core.predict.RunTimes;
import dev.berth.core.queue.GpuUsage;
import dev.berth.core.queue.GpuUsage.RunningUsage;
import dev.berth.core.queue.PriorityOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
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
import java.util.function.Predicate;

/** A machine of which everything is known: its GPUs, what waits, what runs and for how long. */
final class ForecastScene {

    static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    static final long TOTAL_MIB = 40_000;

    final TreeMap<TaskId, Task> waiting = new TreeMap<>();
    final TreeMap<TaskId, Run> running = new TreeMap<>();
    final TreeMap<String, RunTime> times = new TreeMap<>();
    final QueueOrder order;
    final int gpus;
    GpuUsage usage = GpuUsage.NONE;
    PersistentMap<GpuId, Instant> releasedAt = PersistentMap.empty();
    Optional<WaitReason.Paused> pause = Optional.empty();
    Instant now = T0;

    /** A running task. */
    record Run(Task task, AttemptId id, List<Claim> claims, Instant since, Phase phase) {}

    ForecastScene(QueueOrder order, int gpus) {
        this.order = order;
        this.gpus = gpus;
    }

    ForecastScene(int gpus) {
        this(new PriorityOrder(UserWeights.EQUAL), gpus);
    }

    static GpuId gpu(int index) {
        return new GpuId("here", "GPU-%04d".formatted(index));
    }

    Task task(long id, String owner, TaskSpec spec) {
        return Task.queued(new TaskId(id), Owner.unix(owner), spec, T0.minusSeconds(10_000 - id));
    }

    Task queue(long id, Need need) {
        return queue(task(id, "ann", TaskSpec.of("task" + id, "true", need, "/")));
    }

    Task queue(Task task) {
        waiting.put(task.id(), task);
        return task;
    }

    void runs(Task task, Duration since, List<Claim> claims) {
        runs(task, since, claims, new Phase.Starting());
    }

    void runs(Task task, Duration since, List<Claim> claims, Phase phase) {
        var attempt = new AttemptId(task.id(), 1);
        running.put(task.id(), new Run(task, attempt, claims, now.minus(since), phase));
    }

    /** Task {@code id} runs on one GPU since a while. */
    Task runsOn(long id, int gpu, Duration since) {
        var task = task(id, "ann", TaskSpec.of("task" + id, "true", Need.gpus(1), "/"));
        runs(task, since, List.of(new Claim(gpu(gpu), 0, true)));
        return task;
    }

    void takes(long id, Duration always) {
        takes(id, always, always);
    }

    void takes(long id, Duration median, Duration p90) {
        times.put("task" + id, new RunTime(median, p90, 5));
    }

    RunTimes runTimes() {
        return (_, spec) -> Optional.ofNullable(times.get(spec.name()));
    }

    List<RunningTask> runningTasks() {
        return running.values().stream()
                .map(
                        run ->
                                new RunningTask(
                                        run.task(),
                                        new Attempt(
                                                run.id(),
                                                "here",
                                                1,
                                                "boot",
                                                run.claims(),
                                                run.since(),
                                                run.phase())))
                .toList();
    }

    Snapshot snapshot() {
        var all = WaitingTasks.none(order);
        for (var task : waiting.values()) {
            all = all.with(task);
        }
        for (var run : running.values()) {
            all = all.withRunning(run.task());
        }
        var holds = PersistentMap.<GpuId, List<HeldClaim>>empty();
        for (var run : running.values()) {
            for (var claim : run.claims()) {
                var there = new ArrayList<>(holds.get(claim.gpu()).orElse(List.of()));
                there.add(new HeldClaim(run.id(), claim));
                holds = holds.with(claim.gpu(), List.copyOf(there));
            }
        }
        var fleet =
                new Fleet(
                        readings(),
                        holds,
                        PersistentMap.empty(),
                        releasedAt,
                        PersistentMap.empty());
        var onCpu = running.values().stream().filter(run -> run.claims().isEmpty()).count();
        return new Snapshot(
                now,
                all.at(now),
                fleet,
                usage.totals(now, used()),
                StartConditions.of((int) onCpu, pause),
                new Bounds(runTimes(), new TreeMap<>(running)),
                UserLoads.NONE,
                PersistentMap.empty(),
                Optional.empty());
    }

    private record Bounds(RunTimes times, TreeMap<TaskId, Run> running) implements RunBounds {
        @Override
        public Optional<Instant> end(AttemptId id) {
            return Optional.ofNullable(running.get(id.task()))
                    .flatMap(run -> length(run.task()).map(run.since()::plus));
        }

        @Override
        public Optional<Duration> length(Task waiting) {
            return times.bound(waiting);
        }
    }

    private List<RunningUsage> used() {
        return running.values().stream()
                .filter(run -> !run.claims().isEmpty())
                .map(
                        run ->
                                new RunningUsage(
                                        run.task().owner().principal(),
                                        run.claims().size(),
                                        run.since()))
                .toList();
    }

    /** Each task uses the memory that it claimed, or 10 GiB if it stated none. */
    private PersistentMap<GpuId, GpuState> readings() {
        var states = PersistentMap.<GpuId, GpuState>empty();
        for (int index = 0; index < gpus; index++) {
            var processes = new ArrayList<GpuProcess>();
            for (var run : running.values()) {
                run.claims().stream()
                        .filter(claim -> run.since().isBefore(now) || claim.memoryMib() > 0)
                        .filter(forIndex(index))
                        .forEach(claim -> processes.add(process(run.id(), claim)));
            }
            long used = processes.stream().mapToLong(one -> one.usedMib().getAsLong()).sum();
            var reading =
                    new GpuReading(
                            OptionalLong.of(used),
                            OptionalLong.of(TOTAL_MIB - used),
                            OptionalInt.of(0),
                            OptionalInt.of(40),
                            OptionalInt.of(0),
                            Optional.of(processes));
            var gpu = new Gpu(gpu(index), index, "A", TOTAL_MIB);
            states = states.with(gpu.id(), new GpuState.Readable(gpu, reading));
        }
        return states;
    }

    private static Predicate<Claim> forIndex(int index) {
        return claim -> claim.gpu().equals(gpu(index));
    }

    private static GpuProcess process(AttemptId attempt, Claim claim) {
        return new GpuProcess(
                4711,
                OptionalLong.of(claim.memoryMib() == 0 ? 10_000 : claim.memoryMib()),
                GpuProcess.Kind.COMPUTE,
                "python",
                new ProcessOwner.BerthAttempt(attempt),
                Optional.empty());
    }
}

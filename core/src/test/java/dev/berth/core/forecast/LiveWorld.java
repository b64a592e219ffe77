package dev.berth.core.forecast;

import dev.berth.core.gpu.GpuPool;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.plan.Backfill;
import dev.berth.core.plan.ForeignProcessPolicy;
import dev.berth.core.plan.MemoryEstimates;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.plan.PlacementPolicy;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.queue.FairShareOrder;
import dev.berth.core.queue.FifoOrder;
import dev.berth.core.queue.PriorityOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.ShortestFirstOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/** A machine by seed that lives on step by step. */
final class LiveWorld {

    private static final List<String> USERS = List.of("ann", "bob", "cid");

    private final Random random;
    final Planner planner;
    final ForecastScene scene;
    private final TreeMap<TaskId, Instant> ends = new TreeMap<>();

    LiveWorld(long seed) {
        random = new Random(seed);
        planner =
                new Planner(
                        rules(),
                        backfill(),
                        PlacementPolicy.all(ModelCache.DEFAULT).get(random.nextInt(2)));
        scene = new ForecastScene(order(), 1 + random.nextInt(6));
        for (long id = 1; id <= 30; id++) {
            var length = Duration.ofSeconds(1 + random.nextInt(3000));
            scene.takes(id, length);
            scene.queue(delayed(scene.task(id, user(), spec(id))));
        }
        begin();
    }

    /** Some of the tasks run already. */
    private void begin() {
        for (var start : planner.plan(scene.snapshot()).starts()) {
            var task = scene.waiting.remove(start.task());
            var since = Duration.ofSeconds(random.nextLong(length(task.id()).toSeconds()));
            scene.runs(task, since, start.claims());
            ends.put(task.id(), scene.now.minus(since).plus(length(task.id())));
        }
        scene.now = scene.now.plusNanos(1);
    }

    /** The starts of all tasks that wait now. */
    TreeMap<TaskId, Instant> live() {
        var starts = new TreeMap<TaskId, Instant>();
        while (true) {
            for (var start : planner.plan(scene.snapshot()).starts()) {
                var task = scene.waiting.remove(start.task());
                starts.put(task.id(), scene.now);
                scene.running.put(
                        task.id(),
                        new ForecastScene.Run(
                                task,
                                start.attempt(),
                                start.claims(),
                                scene.now,
                                new Phase.Starting()));
                ends.put(task.id(), scene.now.plus(length(task.id())));
            }
            var next = next();
            if (next.isEmpty()) {
                return starts;
            }
            scene.now = next.get();
            endAll();
        }
    }

    private Optional<Instant> next() {
        var end = ends.values().stream().min(Instant::compareTo);
        var delay =
                scene.waiting.values().stream()
                        .flatMap(task -> task.notBefore().stream())
                        .filter(until -> until.isAfter(scene.now))
                        .min(Instant::compareTo);
        return end.isEmpty() || delay.filter(then -> then.isBefore(end.get())).isPresent()
                ? delay
                : end;
    }

    private void endAll() {
        for (var id : List.copyOf(ends.keySet())) {
            if (!ends.get(id).isAfter(scene.now)) {
                ends.remove(id);
                var run = scene.running.remove(id);
                for (var claim : run.claims()) {
                    scene.releasedAt = scene.releasedAt.with(claim.gpu(), scene.now);
                }
                charge(run);
            }
        }
    }

    private void charge(ForecastScene.Run run) {
        if (run.claims().isEmpty()) {
            return;
        }
        var time = Duration.between(run.since(), scene.now);
        var least = Duration.ofMinutes(1);
        var principal = run.task().owner().principal();
        scene.usage =
                scene.usage.with(
                        principal,
                        scene.usage.charged(
                                principal,
                                run.claims().size(),
                                time.compareTo(least) < 0 ? least : time,
                                scene.now));
    }

    Duration length(TaskId id) {
        return scene.times.get("task" + id).median();
    }

    private String user() {
        return USERS.get(random.nextInt(USERS.size()));
    }

    private Task delayed(Task task) {
        return random.nextInt(10) == 0
                ? task.withNotBefore(Optional.of(scene.now.plusSeconds(1 + random.nextInt(5000))))
                : task;
    }

    private TaskSpec spec(long id) {
        var spec =
                TaskSpec.of("task" + id, "true", need(), "/")
                        .with(Priority.values()[random.nextInt(4)]);
        if (random.nextInt(6) == 0) {
            var lane = new Lane.Named(random.nextBoolean() ? "x" : "y");
            spec = spec.with(lane, OptionalInt.empty());
        }
        return spec;
    }

    private Need need() {
        return switch (random.nextInt(6)) {
            case 0 -> Need.CPU;
            case 1 -> {
                var index = new TreeSet<>(List.of(random.nextInt(scene.gpus)));
                yield Need.Gpus.on(
                        new GpuIndices(index), Optional.empty(), Need.GpuMemory.UNSTATED);
            }
            case 2 -> Need.Gpus.shared(5000L * (1 + random.nextInt(4)));
            case 3 -> Need.gpus(1);
            default ->
                    new Need.Gpus(
                            Need.GpuCount.of(1 + random.nextInt(scene.gpus)),
                            Optional.empty(),
                            random.nextBoolean()
                                    ? Need.GpuMemory.UNSTATED
                                    : Need.GpuMemory.of(20_000));
        };
    }

    private Backfill backfill() {
        return switch (random.nextInt(4)) {
            case 0 -> new Backfill.Off();
            case 1 -> new Backfill.Greedy();
            default -> new Backfill.Safe();
        };
    }

    private SchedulingRules rules() {
        return new SchedulingRules(
                20,
                ForeignProcessPolicy.YIELD,
                GpuPool.ALL,
                new MemoryEstimates(new TreeMap<>(), 0L),
                ModelCache.DEFAULT,
                random.nextBoolean() ? OptionalInt.of(2) : OptionalInt.empty(),
                LaneRules.DEFAULT);
    }

    private QueueOrder order() {
        return switch (random.nextInt(4)) {
            case 0 -> new PriorityOrder(UserWeights.EQUAL);
            case 1 -> new FairShareOrder(UserWeights.EQUAL);
            case 2 -> new FifoOrder();
            default -> new ShortestFirstOrder();
        };
    }
}

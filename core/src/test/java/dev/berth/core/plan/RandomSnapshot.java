package dev.berth.core.plan;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.gpu.GpuPool;
import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.gpu.GpuReading;
import dev.berth.core.gpu.GpuState;
import dev.berth.core.gpu.ProcessOwner;
import dev.berth.core.id.AttemptId;
import dev.berth.core.lane.LaneRules;
import dev.berth.core.queue.FairShareOrder;
import dev.berth.core.queue.FifoOrder;
import dev.berth.core.queue.PriorityOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.ShortestFirstOrder;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/** A random snapshot by seed: a few GPUs in every state, and tasks of all kinds. */
final class RandomSnapshot {

    private static final List<String> USERS = List.of("ann", "bob", "cid");

    final Planner planner;
    final SnapshotBuilder scene;
    private final Random random;
    private final int cards;

    RandomSnapshot(long seed) {
        random = new Random(seed);
        scene = new SnapshotBuilder(order());
        cards = random.nextInt(7);
        var backfill = random.nextBoolean() ? new Backfill.Off() : new Backfill.Safe();
        planner = new Planner(rules(), backfill, placement());
        for (int index = 0; index < cards; index++) {
            card(index);
        }
        int tasks = random.nextInt(14);
        for (int id = 1; id <= tasks; id++) {
            scene.queue(id, USERS.get(random.nextInt(USERS.size())), spec(id));
        }
        for (var user : USERS) {
            scene.used.put("unix:" + user, (double) random.nextInt(300));
        }
        scene.cpuTasks = random.nextInt(3);
        scene.bounds = bounds(seed);
    }

    /** Time limits, and the ends of half of the running tasks, some of which are overdue. */
    private static RunBounds bounds(long seed) {
        return new RunBounds() {
            @Override
            public Optional<Instant> end(AttemptId running) {
                var dice = new Random(seed * 31 + running.task().value());
                return dice.nextBoolean()
                        ? Optional.of(SnapshotBuilder.NOW.plusSeconds(dice.nextInt(400) - 60))
                        : Optional.empty();
            }

            @Override
            public Optional<Duration> length(Task waiting) {
                return waiting.spec().options().timeLimit();
            }
        };
    }

    private QueueOrder order() {
        var people =
                new UserWeights(
                        new TreeMap<>(
                                Map.of(
                                        "bob", new UserWeights.UserWeight(2, false),
                                        "cid",
                                                new UserWeights.UserWeight(
                                                        1, random.nextInt(4) == 0))));
        return switch (random.nextInt(4)) {
            case 0 -> new PriorityOrder(people);
            case 1 -> new FairShareOrder(people);
            case 2 -> new FifoOrder();
            default -> new ShortestFirstOrder();
        };
    }

    private PlacementPolicy placement() {
        return PlacementPolicy.all(ModelCache.DEFAULT).get(random.nextInt(3));
    }

    private SchedulingRules rules() {
        var reserved = new TreeSet<Integer>();
        if (random.nextInt(5) == 0) {
            reserved.add(random.nextInt(7));
        }
        return new SchedulingRules(
                random.nextBoolean() ? 20 : 50,
                random.nextBoolean() ? ForeignProcessPolicy.YIELD : ForeignProcessPolicy.FIT,
                new GpuPool(Optional.empty(), reserved),
                new MemoryEstimates(new TreeMap<>(Map.of("m", 1000L)), random.nextInt(3) * 1000L),
                ModelCache.DEFAULT,
                random.nextInt(3) == 0
                        ? OptionalInt.of(1 + random.nextInt(3))
                        : OptionalInt.empty(),
                LaneRules.DEFAULT);
    }

    private void card(int index) {
        var card =
                new Gpu(
                        SnapshotBuilder.id(index),
                        index,
                        random.nextInt(3) == 0 ? "B" : "A",
                        (1 + random.nextInt(3)) * 8000L);
        scene.cards = scene.cards.with(card.id(), state(card));
        if (random.nextInt(4) == 0) {
            scene.hold(index, 100 + index);
        } else if (random.nextInt(4) == 0) {
            scene.hold(index, 100 + index, 2000, false);
            if (random.nextBoolean()) {
                scene.hold(index, 200 + index, 1000, false);
            }
        }
        if (random.nextInt(8) == 0) {
            scene.leaving =
                    scene.leaving.with(card.id(), List.of(SnapshotBuilder.attempt(300 + index)));
        }
        if (random.nextInt(3) == 0) {
            scene.loaded = scene.loaded.with(card.id(), List.of("m"));
        }
    }

    private GpuState state(Gpu card) {
        if (random.nextInt(8) == 0) {
            return new GpuState.Unknown(card, "no answer");
        }
        if (random.nextInt(12) == 0) {
            return new GpuState.Failed(card, "gone");
        }
        long used = random.nextInt(3) == 0 ? random.nextLong(card.totalMib()) : 0;
        var reading =
                new GpuReading(
                        OptionalLong.of(used),
                        OptionalLong.of(card.totalMib() - used),
                        OptionalInt.of(random.nextInt(101)),
                        OptionalInt.of(30 + random.nextInt(60)));
        return new GpuState.Readable(card, reading.withProcesses(Optional.of(occupants(used))));
    }

    private List<GpuProcess> occupants(long used) {
        if (used == 0 || random.nextInt(3) > 0) {
            return List.of();
        }
        return List.of(
                new GpuProcess(
                        42,
                        OptionalLong.of(used),
                        GpuProcess.Kind.COMPUTE,
                        "python",
                        new ProcessOwner.HostUser("eve", false),
                        Optional.empty()));
    }

    private TaskSpec spec(int id) {
        var spec =
                TaskSpec.of("task " + id, "true", need(), "/")
                        .with(Priority.values()[random.nextInt(4)]);
        if (random.nextInt(3) == 0) {
            spec = spec.with(Duration.ofMinutes(1 + random.nextInt(5)));
        }
        return random.nextInt(4) == 0
                ? spec.with(new ModelWork(Optional.of("m"), Optional.empty(), 0))
                : spec;
    }

    private Need need() {
        var type = random.nextInt(6) == 0 ? Optional.of("B") : Optional.<String>empty();
        return switch (random.nextInt(6)) {
            case 0 -> Need.CPU;
            case 1 -> {
                var indices = new TreeSet<Integer>();
                indices.add(random.nextInt(7));
                if (random.nextBoolean()) {
                    indices.add(random.nextInt(7));
                }
                yield Need.Gpus.on(new GpuIndices(indices), type, memory());
            }
            default -> {
                int least = 1 + random.nextInt(3);
                yield new Need.Gpus(
                        new Need.GpuCount(least, least + random.nextInt(2)), type, memory());
            }
        };
    }

    private Need.GpuMemory memory() {
        return switch (random.nextInt(4)) {
            case 0 -> Need.GpuMemory.of(random.nextInt(20_000));
            case 1 -> Need.GpuMemory.shared(500 + random.nextInt(6000));
            default -> Need.GpuMemory.UNSTATED;
        };
    }
}

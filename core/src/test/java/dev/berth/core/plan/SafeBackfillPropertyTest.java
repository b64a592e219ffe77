package dev.berth.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.queue.FifoOrder;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Random queues that are run to their end, with the true lengths as bounds. */
class SafeBackfillPropertyTest {

    private static final int SEEDS = 1500;

    @Test
    void noReservedHeadStartsLaterThanWithoutBackfill() {
        int promises = 0;
        int backfilled = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            var run = new Run(seed, new Backfill.Safe());
            while (run.step()) {
                var promise = run.plan.promise();
                if (promise.isPresent()
                        && run.promised.putIfAbsent(promise.get().head().id(), run.now) == null) {
                    promises++;
                    var head = promise.get().head().id();
                    var safe = run.copy(new Backfill.Safe()).startOf(head);
                    var off = run.copy(new Backfill.Off()).startOf(head);
                    assertThat(safe).as("task %s of seed %d", head, seed).isBeforeOrEqualTo(off);
                    assertThat(promise.get().at().orElseThrow())
                            .as("promise to task %s of seed %d", head, seed)
                            .isAfterOrEqualTo(safe);
                }
            }
            backfilled += run.backfilled;
        }
        assertThat(promises).isGreaterThan(SEEDS);
        assertThat(backfilled).isGreaterThan(SEEDS);
    }

    /** A queue on its way: at each step the next tasks end and come, and a pass follows. */
    private static final class Run {

        private final Planner planner;
        private final SnapshotBuilder scene = new SnapshotBuilder(new FifoOrder());
        private final TreeMap<TaskId, Task> tasks = new TreeMap<>();
        private final TreeMap<TaskId, Instant> ends = new TreeMap<>();
        private final TreeMap<TaskId, Instant> starts = new TreeMap<>();
        private final TreeMap<TaskId, Instant> promised = new TreeMap<>();
        private final List<Task> coming;
        private Instant now = SnapshotBuilder.T0;
        private Plan plan;
        private int backfilled;

        Run(long seed, Backfill backfill) {
            var random = new Random(seed);
            int gpus = 1 + random.nextInt(6);
            for (int index = 0; index < gpus; index++) {
                var model = random.nextInt(4) == 0 ? "B" : "A";
                scene.card(new Gpu(SnapshotBuilder.id(index), index, model, 100), 100, 0, 40);
            }
            coming = new ArrayList<>();
            var at = SnapshotBuilder.T0;
            for (int id = 1; id <= 30; id++) {
                at = at.plusSeconds(random.nextInt(40));
                var spec =
                        TaskSpec.of("task " + id, "true", need(random, gpus), "/")
                                .with(Duration.ofSeconds(1 + random.nextInt(200)));
                coming.add(
                        Task.queued(
                                new TaskId(id),
                                SnapshotBuilder.task(id, "ann", spec).owner(),
                                spec,
                                at));
            }
            coming.forEach(task -> tasks.put(task.id(), task));
            planner = new Planner(SchedulingRules.DEFAULT, backfill, new BestScorePlacement());
            plan = planner.plan(snapshot());
        }

        private Run(Run other, Backfill backfill) {
            planner = new Planner(SchedulingRules.DEFAULT, backfill, new BestScorePlacement());
            scene.cards = other.scene.cards;
            scene.holds = other.scene.holds;
            scene.waiting = other.scene.waiting;
            tasks.putAll(other.tasks);
            ends.putAll(other.ends);
            starts.putAll(other.starts);
            coming = new ArrayList<>(other.coming);
            now = other.now;
            plan = other.plan;
        }

        private static Need need(Random random, int gpus) {
            return switch (random.nextInt(5)) {
                case 0 -> Need.Gpus.shared(10 + random.nextInt(80));
                case 1 ->
                        Need.Gpus.on(
                                GpuIndices.of(random.nextInt(gpus)),
                                Optional.empty(),
                                Need.GpuMemory.UNSTATED);
                case 2 ->
                        new Need.Gpus(
                                Need.GpuCount.of(1), Optional.of("A"), Need.GpuMemory.UNSTATED);
                case 3 -> Need.gpus(1 + random.nextInt(gpus));
                default -> Need.gpus(1);
            };
        }

        Run copy(Backfill backfill) {
            return new Run(this, backfill);
        }

        Instant startOf(TaskId task) {
            while (!starts.containsKey(task)) {
                assertThat(step()).as("task %s starts", task).isTrue();
            }
            return starts.get(task);
        }

        /** False if nothing is left to happen. */
        boolean step() {
            var end = ends.values().stream().min(Instant::compareTo).orElse(Instant.MAX);
            var come = coming.isEmpty() ? Instant.MAX : coming.getFirst().createdAt();
            var next = end.isBefore(come) ? end : come;
            if (next.equals(Instant.MAX)) {
                return false;
            }
            now = next;
            for (var id : List.copyOf(ends.keySet())) {
                if (!ends.get(id).isAfter(now)) {
                    ends.remove(id);
                    leave(id);
                }
            }
            while (!coming.isEmpty() && !coming.getFirst().createdAt().isAfter(now)) {
                scene.waiting = scene.waiting.with(coming.removeFirst());
            }
            pass();
            return true;
        }

        private void leave(TaskId id) {
            for (var entry : scene.holds) {
                var left =
                        entry.getValue().stream()
                                .filter(hold -> !hold.attempt().task().equals(id))
                                .toList();
                scene.holds =
                        left.isEmpty()
                                ? scene.holds.without(entry.getKey())
                                : scene.holds.with(entry.getKey(), left);
            }
        }

        private void pass() {
            plan = planner.plan(snapshot());
            for (var start : plan.starts()) {
                var task = tasks.get(start.task());
                starts.put(task.id(), now);
                ends.put(task.id(), now.plus(length(task)));
                scene.waiting = scene.waiting.without(task);
                var head =
                        plan.promise()
                                .map(promise -> promise.head().id().value())
                                .orElse(Long.MAX_VALUE);
                backfilled += task.id().value() > head ? 1 : 0;
            }
            scene.holds = plan.fleet().holds();
        }

        private static Duration length(Task task) {
            return task.spec().options().timeLimit().orElseThrow();
        }

        private Snapshot snapshot() {
            scene.now = now;
            scene.bounds =
                    new RunBounds() {
                        @Override
                        public Optional<Instant> end(AttemptId running) {
                            return Optional.ofNullable(ends.get(running.task()));
                        }

                        @Override
                        public Optional<Duration> length(Task waiting) {
                            return Optional.of(Run.length(waiting));
                        }
                    };
            return scene.snapshot();
        }
    }
}

package dev.berth.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.queue.WaitingTasks.Head;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.core.task.TaskTransition;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Which lanes a pass looks at: the kept ones are those that a look at every lane would find. */
class StartableLanesTest {

    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    private static final int LANES = 10_000;

    @Test
    void aPassLooksAtOneOfTenThousandLanes() {
        var waiting = WaitingTasks.none(new FifoOrder());
        for (int lane = 1; lane <= LANES; lane++) {
            waiting = waiting.with(task(lane, new Lane.OfFileRun(7, lane, false), 1));
        }
        assertThat(heads(waiting, Set.of())).hasSize(1);
        assertThat(heads(waiting, Set.of(7L))).isEmpty();
        assertThat(waiting.size()).isEqualTo(LANES);
    }

    @Test
    void thatALaneCanStartIsKnownWithoutALookAtAnyLane() {
        var waiting = WaitingTasks.none(new FifoOrder());
        for (int lane = 1; lane <= 3; lane++) {
            waiting = waiting.with(task(lane, new Lane.OfFileRun(7, lane, false), 1));
        }
        // Without the first tasks of the lanes: a look at them would find none.
        var withoutTasks =
                new WaitingTasks(
                        waiting.order(),
                        waiting.queues(),
                        new LaneQueues(
                                waiting.lanes().queued(),
                                waiting.lanes().runningByLane(),
                                new StartableLanes(
                                        waiting.lanes().startable().groups(),
                                        PersistentMap.empty(),
                                        PersistentMap.empty())),
                        waiting.delayed(),
                        waiting.countsByPrincipal(),
                        waiting.waitStarts());
        assertThat(withoutTasks.hasStartableLaneHead()).isTrue();
    }

    @Test
    void noLaneCanStartWhileAllAreDelayed() {
        var waiting = WaitingTasks.none(new FifoOrder());
        for (int lane = 1; lane <= 3; lane++) {
            var task = task(lane, new Lane.OfFileRun(7, lane, false), 1);
            waiting = waiting.with(task.withNotBefore(Optional.of(T0.plusSeconds(60))));
        }
        assertThat(waiting.hasStartableLaneHead()).isFalse();
        assertThat(waiting.at(T0.plusSeconds(60)).hasStartableLaneHead()).isTrue();
        assertThat(waiting.with(task(4, new Lane.OfFileRun(7, 4, false), 1)).hasStartableLaneHead())
                .isTrue();
    }

    @Test
    void theFirstLaneHasTheLowestTurn() {
        var waiting = WaitingTasks.none(new FifoOrder());
        for (int lane = 1; lane <= 50; lane++) {
            waiting = waiting.with(task(lane, new Lane.OfFileRun(7, lane, false), 1));
        }
        var first = heads(waiting, Set.of()).getFirst();
        var turns = new ArrayList<Precedence>();
        for (var next = Optional.of(first); next.isPresent(); next = next.get().next()) {
            turns.add(waiting.precedence(next.get().place(), _ -> 0, T0));
        }
        assertThat(turns).hasSize(50).isSorted().doesNotHaveDuplicates();
        assertThat(first.place().precedence()).isEqualTo(turns.getFirst());
    }

    @Test
    void theKeptLanesAreThoseOfAFullLook() {
        for (int seed = 0; seed < 20; seed++) {
            var random = new Random(seed);
            var waiting = WaitingTasks.none(new PriorityOrder(UserWeights.EQUAL));
            var queued = new ArrayList<Task>();
            var running = new ArrayList<Task>();
            for (int step = 1; step <= 300; step++) {
                int choice = random.nextInt(4);
                if (choice < 2 || queued.isEmpty()) {
                    var task = task(step, lane(random), 1 + random.nextInt(2));
                    waiting = waiting.with(task);
                    queued.add(task);
                } else if (choice == 2) {
                    var task = queued.remove(random.nextInt(queued.size()));
                    waiting = waiting.without(task);
                    if (random.nextBoolean()) {
                        var started = task.after(new TaskTransition.Start(1));
                        waiting = waiting.withRunning(started);
                        running.add(started);
                    }
                } else if (!running.isEmpty()) {
                    waiting = waiting.without(running.remove(random.nextInt(running.size())));
                }
                assertThat(startable(waiting)).as("seed %d", seed).isEqualTo(found(waiting));
                assertThat(waiting.size()).isEqualTo(queued.size());
            }
        }
    }

    private static Set<TaskId> startable(WaitingTasks waiting) {
        var ids = new TreeSet<TaskId>();
        for (var head : heads(waiting, Set.of(2L))) {
            for (var next = Optional.of(head); next.isPresent(); next = next.get().next()) {
                assertThat(ids.add(next.get().task().id())).isTrue();
                assertThat(next.get().place().queue()).isEqualTo(QueueId.of(next.get().task()));
            }
        }
        return ids;
    }

    private static Set<TaskId> found(WaitingTasks waiting) {
        var ids = new TreeSet<TaskId>();
        for (var lane : waiting.lanes().queued()) {
            var first = lane.getValue().first().orElseThrow().getValue();
            boolean isSpaced = first.spec().fileRunLane().filter(one -> one.run() == 2).isPresent();
            if (waiting.lanes().running(lane.getKey()).isEmpty() && !isSpaced) {
                ids.add(first.id());
            }
        }
        return ids;
    }

    private static List<Head> heads(WaitingTasks waiting, Set<Long> spacing) {
        return waiting.heads(_ -> 0, T0, spacing, _ -> true);
    }

    private static Lane lane(Random random) {
        int number = random.nextInt(4);
        return random.nextInt(4) == 0
                ? new Lane.Named("lane " + number)
                : new Lane.OfFileRun(1 + random.nextInt(3), number, false);
    }

    private static Task task(long id, Lane lane, int gpus) {
        var spec =
                TaskSpec.of("task " + id, "true", Need.gpus(gpus), "/")
                        .with(lane, OptionalInt.empty());
        return Task.queued(new TaskId(id), Owner.unix("ann"), spec, T0.plusSeconds(id));
    }
}

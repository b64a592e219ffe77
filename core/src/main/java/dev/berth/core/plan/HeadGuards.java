package dev.berth.core.plan;

import dev.berth.core.id.AttemptId;
import dev.berth.core.queue.QueueId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The waiting heads that safe backfill protects during one scheduling pass. */
final class HeadGuards {

    private final Planner planner;
    private final Snapshot from;

    /** The first head that waits for tasks to end. All tasks behind it respect its start. */
    private @Nullable HeadGuard promised;

    /**
     * The first head of the main queue that waits for something else. Nobody knows for how long, so
     * only its queue waits for it.
     */
    private @Nullable HeadGuard main;

    /** The shapes of heads that wait for something else. */
    private final TreeSet<Shape> waitingForOthers = new TreeSet<>();

    private final TreeMap<AttemptId, Task> started = new TreeMap<>();

    HeadGuards(Planner planner, Snapshot from) {
        this.planner = planner;
        this.from = from;
    }

    Optional<PromisedStart> promise() {
        return Optional.ofNullable(promised).map(HeadGuard::promise);
    }

    /** What the tasks of this queue have to respect. */
    List<HeadGuard> before(QueueId queue) {
        var own = queue.equals(QueueId.MAIN) ? main : null;
        return Stream.of(promised, own).filter(Objects::nonNull).toList();
    }

    /** Whether the task has ended when these heads start. */
    boolean isShort(Task task, List<HeadGuard> guards) {
        if (guards.isEmpty()) {
            return true;
        }
        var length = from.bounds().length(task);
        return guards.stream().allMatch(guard -> guard.isShort(length));
    }

    /** Which GPUs the task may use if it is not short. */
    Predicate<GpuView> selection(Task task, List<HeadGuard> guards) {
        if (!(task.spec().requirements().need() instanceof Need.Gpus need)) {
            return _ -> true;
        }
        var ask = planner.requirement(need, Shape.of(task.spec()));
        return guards.stream()
                .map(guard -> guard.selection(ask, task.nextAttempt()))
                .reduce(_ -> true, Predicate::and);
    }

    void started(Task task, List<Claim> claims) {
        started.put(task.nextAttempt(), task);
        if (promised == null && main == null) {
            return;
        }
        var length = from.bounds().length(task);
        Stream.of(promised, main)
                .filter(Objects::nonNull)
                .filter(guard -> !guard.isShort(length))
                .forEach(guard -> guard.started(task.nextAttempt(), claims));
    }

    /**
     * Protects a head that cannot start now, if none is protected yet. Lanes of file runs take what
     * others leave, so nothing is kept for them.
     *
     * @return whether the head keeps its turn
     */
    boolean protect(QueueId queue, Task head, Fleet fleet) {
        var shape = Shape.of(head.spec());
        if (promised != null
                || !(head.spec().requirements().need() instanceof Need.Gpus)
                || head.spec().fileRunLane().isPresent()
                || waitingForOthers.contains(shape)) {
            return false;
        }
        var guard = new HeadGuard(planner, fleet, head, from.at(), this::end);
        if (guard.waitsForTasks()) {
            promised = guard;
            return true;
        }
        waitingForOthers.add(shape);
        if (main == null && queue.equals(QueueId.MAIN)) {
            main = guard;
            return true;
        }
        return false;
    }

    private Optional<Instant> end(AttemptId attempt) {
        var task = started.get(attempt);
        return task == null
                ? from.bounds().end(attempt)
                : from.bounds().length(task).map(from.at()::plus);
    }
}

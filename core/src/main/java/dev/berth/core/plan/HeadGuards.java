package dev.berth.core.plan;

import dev.berth.core.id.AttemptId;
import dev.berth.core.queue.QueueId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The waiting heads that safe backfill protects during one scheduling pass. */
final class HeadGuards {

    private final Planner planner;
    private final Snapshot from;

    /** In the order of the pass. */
    private final List<Protected> heads = new ArrayList<>();

    /** Those of them that the tasks of a queue have to respect; filled at the first question. */
    private final TreeMap<QueueId, List<HeadGuard>> beforeByQueue = new TreeMap<>();

    /** The shapes of heads that wait for something else. */
    private final TreeSet<Shape> waitingForOthers = new TreeSet<>();

    private final TreeMap<AttemptId, Task> started = new TreeMap<>();

    /** A waiting head of a queue. */
    private record Protected(QueueId queue, HeadGuard guard) {

        /**
         * Whether all tasks have to respect it. As long as nobody knows when a head of the main
         * queue can start, tasks that name their GPUs do not wait for it.
         */
        boolean bindsAll() {
            return guard.waitsForTasks()
                    && (guard.promise().at().isPresent() || queue.kind() != QueueId.Kind.MAIN);
        }

        /** Whether tasks of the other queue have to respect it. */
        boolean binds(QueueId other) {
            return bindsAll()
                    || other.equals(queue)
                    || (guard.waitsForTasks() && other.kind() != QueueId.Kind.DEVICES);
        }
    }

    HeadGuards(Planner planner, Snapshot from) {
        this.planner = planner;
        this.from = from;
    }

    /** Of the first head that all tasks have to respect, else of the first that waits for tasks. */
    Optional<PromisedStart> promise() {
        return heads.stream()
                .filter(Protected::bindsAll)
                .findFirst()
                .or(() -> heads.stream().filter(one -> one.guard().waitsForTasks()).findFirst())
                .map(one -> one.guard().promise());
    }

    /** What the tasks of this queue have to respect. */
    List<HeadGuard> before(QueueId queue) {
        return heads.isEmpty()
                ? List.of()
                : beforeByQueue.computeIfAbsent(queue, this::guardsBefore);
    }

    private List<HeadGuard> guardsBefore(QueueId queue) {
        return heads.stream().filter(head -> head.binds(queue)).map(Protected::guard).toList();
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
        if (heads.isEmpty()) {
            return;
        }
        var length = from.bounds().length(task);
        heads.stream()
                .map(Protected::guard)
                .filter(guard -> !guard.isShort(length))
                .forEach(guard -> guard.started(task.nextAttempt(), claims));
    }

    /**
     * Protects a head that cannot start now, unless it has to respect another one. Lanes of file
     * runs take what others leave, so nothing is kept for them. If a head waits for something else
     * than tasks, nobody knows for how long: only the main queue waits for that.
     *
     * @return whether the head keeps its turn
     */
    boolean protect(QueueId queue, Task head, Shape shape, Fleet fleet) {
        var before = before(queue);
        if (!(shape.need() instanceof Need.Gpus)
                || head.spec().fileRunLane().isPresent()
                || before.stream().anyMatch(HeadGuard::waitsForTasks)
                || waitingForOthers.contains(shape)) {
            return false;
        }
        var guard = new HeadGuard(planner, fleet, head, from.at(), this::end);
        if (!guard.waitsForTasks()) {
            waitingForOthers.add(shape);
        }
        boolean keepsTurn =
                guard.waitsForTasks() || (queue.equals(QueueId.MAIN) && before.isEmpty());
        if (keepsTurn) {
            heads.add(new Protected(queue, guard));
            beforeByQueue.clear();
        }
        return keepsTurn;
    }

    private Optional<Instant> end(AttemptId attempt) {
        var task = started.get(attempt);
        return task == null
                ? from.bounds().end(attempt)
                : from.bounds().length(task).map(from.at()::plus);
    }
}

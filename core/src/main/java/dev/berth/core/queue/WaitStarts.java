package dev.berth.core.queue;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Waiting tasks in the order in which their waits began. Requests ask for the longest wait often,
 * and a queue may contain a hundred thousand tasks.
 */
public record WaitStarts(PersistentMap<WaitStart, Task> tasks) {

    static final WaitStarts NONE = new WaitStarts(PersistentMap.empty());

    /** When the wait of a task began. */
    public record WaitStart(Instant since, TaskId task) implements Comparable<WaitStart> {

        private static final TaskId LAST = new TaskId(Long.MAX_VALUE);

        static WaitStart of(Task task) {
            return new WaitStart(task.waitingSince(), task.id());
        }

        /** After all waits that began at this time. */
        static WaitStart endOf(Instant since) {
            return new WaitStart(since, LAST);
        }

        @Override
        public int compareTo(WaitStart other) {
            int byTime = since.compareTo(other.since);
            return byTime != 0 ? byTime : task.compareTo(other.task);
        }
    }

    WaitStarts with(Task task) {
        return new WaitStarts(tasks.with(WaitStart.of(task), task));
    }

    WaitStarts without(Task task) {
        return new WaitStarts(tasks.without(WaitStart.of(task)));
    }

    /** The task that has waited longest. */
    public Optional<Task> longest() {
        return tasks.first().map(Map.Entry::getValue);
    }

    /** The first task whose wait began after this time. */
    public Optional<Task> firstAfter(Instant time) {
        return tasks.firstFrom(WaitStart.endOf(time)).map(Map.Entry::getValue);
    }

    /** How many tasks wait since this time or longer. */
    public int countUntil(Instant time) {
        return tasks.rank(WaitStart.endOf(time));
    }
}

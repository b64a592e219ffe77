package dev.berth.core.queue;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Waiting tasks in the order in which their waits began. Requests ask for the longest wait often,
 * and a queue may contain a hundred thousand tasks.
 *
 * @param overdueUntil the tasks whose wait began by then are in overdue groups
 */
public record WaitStarts(PersistentMap<WaitStart, Task> tasks, Instant overdueUntil) {

    static final WaitStarts NONE = new WaitStarts(PersistentMap.empty(), Instant.MIN);

    /** When the wait of a task began. */
    public record WaitStart(Instant since, TaskId task) implements Comparable<WaitStart> {

        private static final TaskId LAST = new TaskId(Long.MAX_VALUE);

        static WaitStart of(Task task) {
            return new WaitStart(task.waitingSince(), task.id());
        }

        private WaitStart following() {
            return new WaitStart(since, new TaskId(task.value() + 1));
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
        return new WaitStarts(tasks.with(WaitStart.of(task), task), overdueUntil);
    }

    WaitStarts without(Task task) {
        return new WaitStarts(tasks.without(WaitStart.of(task)), overdueUntil);
    }

    /** The task that has waited longest. */
    public Optional<Task> longest() {
        return tasks.first().map(Map.Entry::getValue);
    }

    /** The first task whose wait began after this time. */
    public Optional<Task> firstAfter(Instant time) {
        return tasks.firstFrom(WaitStart.endOf(time)).map(Map.Entry::getValue);
    }

    WaitStarts withOverdueUntil(Instant until) {
        return new WaitStarts(tasks, until);
    }

    boolean isOverdue(Task task) {
        return !task.waitingSince().isAfter(overdueUntil);
    }

    /** The tasks that are not in overdue groups yet, although their waits began by this time. */
    List<Task> overdue(Instant until) {
        var found = new ArrayList<Task>();
        var next = tasks.firstFrom(WaitStart.endOf(overdueUntil));
        while (next.isPresent() && !next.get().getKey().since().isAfter(until)) {
            found.add(next.get().getValue());
            next = tasks.firstFrom(next.get().getKey().following());
        }
        return found;
    }

    /** How many tasks wait since this time or longer. */
    public int countUntil(Instant time) {
        return tasks.rank(WaitStart.endOf(time));
    }

    /** The same tasks wait; up to where they have been looked at does not matter. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof WaitStarts starts && tasks.equals(starts.tasks);
    }

    @Override
    public int hashCode() {
        return tasks.hashCode();
    }
}

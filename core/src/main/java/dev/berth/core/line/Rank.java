package dev.berth.core.line;

import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;

import java.time.Instant;

/**
 * A task's place among those of equal precedence, for good. Lower goes first.
 *
 * @param seconds how long it may take, where shorter ones go first; 0 where that does not count
 */
public record Rank(long seconds, Instant createdAt, TaskId task) implements Comparable<Rank> {

    /** First come, first served. */
    static Rank byAge(Task task) {
        return new Rank(0, task.createdAt(), task.id());
    }

    @Override
    public int compareTo(Rank other) {
        int byLength = Long.compare(seconds, other.seconds);
        if (byLength != 0) {
            return byLength;
        }
        int byAge = createdAt.compareTo(other.createdAt);
        return byAge != 0 ? byAge : task.compareTo(other.task);
    }
}

package dev.berth.core.queue;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;

import java.time.Instant;

/**
 * Fixed order of tasks with equal precedence; lower goes first.
 *
 * @param timeLimitSeconds time limit, if shorter tasks go first; otherwise 0
 */
public record Rank(long timeLimitSeconds, Instant createdAt, TaskId task)
        implements Comparable<Rank> {

    static Rank byAge(Task task) {
        return new Rank(0, task.createdAt(), task.id());
    }

    @Override
    public int compareTo(Rank other) {
        int byLength = Long.compare(timeLimitSeconds, other.timeLimitSeconds);
        if (byLength != 0) {
            return byLength;
        }
        int byAge = createdAt.compareTo(other.createdAt);
        return byAge != 0 ? byAge : task.compareTo(other.task);
    }
}

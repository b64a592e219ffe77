package dev.berth.core.queue;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;

/**
 * Fixed order of tasks with equal precedence; lower goes first. Older tasks have lower ids;
 * creation times are no measure of age, because the system clock may jump.
 *
 * @param timeLimitSeconds time limit, if shorter tasks go first; otherwise 0
 */
public record Rank(long timeLimitSeconds, TaskId task) implements Comparable<Rank> {

    static Rank byAge(Task task) {
        return new Rank(0, task.id());
    }

    @Override
    public int compareTo(Rank other) {
        int byLength = Long.compare(timeLimitSeconds, other.timeLimitSeconds);
        return byLength != 0 ? byLength : task.compareTo(other.task);
    }
}

package dev.berth.core.queue;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.Task;

/**
 * Fixed order of tasks with equal precedence; lower goes first. Older tasks have lower ids;
 * creation times are no measure of age, because the system clock may jump.
 */
public record Rank(TaskId task) implements Comparable<Rank> {

    public static Rank byAge(Task task) {
        return new Rank(task.id());
    }

    @Override
    public int compareTo(Rank other) {
        return task.compareTo(other.task);
    }
}

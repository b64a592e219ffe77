package dev.berth.core.plan;

import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;

import java.time.Instant;
import java.util.Comparator;

/**
 * A task's place under the order {@code priority}: urgency, then age, then id. Lower goes first.
 */
public record Rank(Priority priority, Instant createdAt, TaskId task) implements Comparable<Rank> {

    private static final Comparator<Rank> ORDER =
            Comparator.comparing(Rank::priority)
                    .thenComparing(Rank::createdAt)
                    .thenComparing(Rank::task);

    public static Rank of(Task task) {
        return new Rank(task.spec().priority(), task.createdAt(), task.id());
    }

    @Override
    public int compareTo(Rank other) {
        return ORDER.compare(this, other);
    }
}

package dev.berth.core.queue;

import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;

/**
 * Waiting tasks that are equal in everything that scheduling looks at, except age.
 *
 * @param isOverdue they have waited for {@link QueueOrder#MAX_PASSED}, and the order has this limit
 */
public record TaskGroup(
        Priority priority, Owner owner, Shape shape, LengthKey length, boolean isOverdue)
        implements Comparable<TaskGroup> {

    private static final Comparator<TaskGroup> ORDER =
            Comparator.comparing(TaskGroup::priority)
                    .thenComparing(group -> group.owner.principal())
                    .thenComparing(group -> group.owner.name())
                    .thenComparing(TaskGroup::shape)
                    .thenComparing(TaskGroup::length)
                    .thenComparing(TaskGroup::isOverdue);

    static TaskGroup of(Task task, QueueOrder order, boolean isOverdue) {
        return new TaskGroup(
                task.spec().options().priority(),
                task.owner(),
                Shape.of(task.spec()),
                order.lengthKey(task),
                isOverdue);
    }

    public QueueId queue() {
        return QueueId.of(shape.need());
    }

    @Override
    public int compareTo(TaskGroup other) {
        return ORDER.compare(this, other);
    }

    /**
     * Written out, because a server without the optimising compiler spends a quarter of its start
     * with a long queue in the equality that a record gets from the JDK.
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TaskGroup group
                && priority == group.priority
                && isOverdue == group.isOverdue
                && shape.equals(group.shape)
                && length.equals(group.length)
                && owner.principal().equals(group.owner.principal())
                && owner.name().equals(group.owner.name());
    }

    @Override
    public int hashCode() {
        return (owner.principal().hashCode() * 31 + shape.hashCode()) * 31 + length.hashCode();
    }
}

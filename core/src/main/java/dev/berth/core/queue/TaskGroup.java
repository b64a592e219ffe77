package dev.berth.core.queue;

import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import java.util.Comparator;

/** Waiting tasks that are equal in everything that scheduling looks at, except age. */
public record TaskGroup(Priority priority, Owner owner, Shape shape, LengthKey length)
        implements Comparable<TaskGroup> {

    private static final Comparator<TaskGroup> ORDER =
            Comparator.comparing(TaskGroup::priority)
                    .thenComparing(group -> group.owner.principal())
                    .thenComparing(group -> group.owner.name())
                    .thenComparing(TaskGroup::shape)
                    .thenComparing(TaskGroup::length);

    public static TaskGroup of(Task task, QueueOrder order) {
        return new TaskGroup(
                task.spec().options().priority(),
                task.owner(),
                Shape.of(task.spec()),
                order.lengthKey(task));
    }

    public QueueId queue() {
        return QueueId.of(shape.need());
    }

    @Override
    public int compareTo(TaskGroup other) {
        return ORDER.compare(this, other);
    }
}

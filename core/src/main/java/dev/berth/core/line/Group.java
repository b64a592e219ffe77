package dev.berth.core.line;

import dev.berth.core.task.Owner;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import java.util.Comparator;

/** Waiting tasks that differ in nothing that an order or a choice of cards looks at but age. */
public record Group(Priority priority, Owner owner, Shape shape) implements Comparable<Group> {

    private static final Comparator<Group> ORDER =
            Comparator.comparing(Group::priority)
                    .thenComparing(group -> group.owner.principal())
                    .thenComparing(group -> group.owner.name())
                    .thenComparing(Group::shape);

    public static Group of(Task task) {
        return new Group(task.spec().priority(), task.owner(), Shape.of(task.spec()));
    }

    public LineId line() {
        return LineId.of(shape.need());
    }

    @Override
    public int compareTo(Group other) {
        return ORDER.compare(this, other);
    }
}

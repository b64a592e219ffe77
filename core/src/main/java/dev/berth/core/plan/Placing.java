package dev.berth.core.plan;

import dev.berth.core.task.Shape;

import java.util.SortedSet;

/**
 * Everything that decides which GPUs a task may use now.
 *
 * @param closed the reservations whose GPUs it may not use
 */
record Placing(Shape shape, SortedSet<Long> closed) implements Comparable<Placing> {

    @Override
    public int compareTo(Placing other) {
        int byShape = shape.compareTo(other.shape);
        if (byShape != 0) {
            return byShape;
        }
        var ids = closed.iterator();
        var otherIds = other.closed.iterator();
        while (ids.hasNext() && otherIds.hasNext()) {
            int byId = Long.compare(ids.next(), otherIds.next());
            if (byId != 0) {
                return byId;
            }
        }
        return Boolean.compare(ids.hasNext(), otherIds.hasNext());
    }

    String key() {
        return shape.key() + " " + closed;
    }
}

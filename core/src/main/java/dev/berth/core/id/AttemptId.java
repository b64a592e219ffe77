package dev.berth.core.id;

import java.util.Comparator;

/** The n-th start of a task, written {@code 7.1}. */
public record AttemptId(TaskId task, int number) implements Comparable<AttemptId> {

    private static final Comparator<AttemptId> ORDER =
            Comparator.comparing(AttemptId::task).thenComparingInt(AttemptId::number);

    public AttemptId {
        if (number < 1) {
            throw new IllegalArgumentException("an attempt's number is 1 or more, not " + number);
        }
    }

    @Override
    public int compareTo(AttemptId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return task + "." + number;
    }
}

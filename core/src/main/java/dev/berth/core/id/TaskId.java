package dev.berth.core.id;

/** Identifies a task permanently: numbers increase and are never reused in one home. */
public record TaskId(long value) implements Comparable<TaskId> {

    public TaskId {
        if (value < 1) {
            throw new IllegalArgumentException("a task id is 1 or more, not " + value);
        }
    }

    @Override
    public int compareTo(TaskId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}

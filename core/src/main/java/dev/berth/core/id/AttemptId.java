package dev.berth.core.id;

/** The n-th start of a task, written {@code 7.1}. */
public record AttemptId(TaskId task, int number) implements Comparable<AttemptId> {

    public AttemptId {
        if (number < 1) {
            throw new IllegalArgumentException("an attempt's number is 1 or more, not " + number);
        }
    }

    /**
     * @throws IllegalArgumentException if it is not written {@code 7.1}
     */
    public static AttemptId parse(String text) {
        int dot = text.indexOf('.');
        if (dot < 0) {
            throw new IllegalArgumentException("not an attempt: " + text);
        }
        return new AttemptId(
                new TaskId(Long.parseLong(text.substring(0, dot))),
                Integer.parseInt(text.substring(dot + 1)));
    }

    /** Written out instead of a Comparator chain: map lookups by attempt are on the hot path. */
    @Override
    public int compareTo(AttemptId other) {
        int byTask = task.compareTo(other.task);
        return byTask != 0 ? byTask : Integer.compare(number, other.number);
    }

    @Override
    public String toString() {
        return task + "." + number;
    }
}

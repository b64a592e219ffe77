package dev.berth.core.task;

/**
 * Estimates the memory that an unfinished task takes in the engine, from the sizes of its parts.
 */
public final class TaskFootprint {

    /** The task, its place in the maps and orders of the state, and its share of their nodes. */
    private static final int BASE_BYTES = 512;

    /** Texts of one byte per character are the rule; two are assumed. */
    private static final int BYTES_PER_CHARACTER = 2;

    private TaskFootprint() {}

    /** In bytes. */
    public static long of(TaskSpec spec) {
        return BASE_BYTES + (long) BYTES_PER_CHARACTER * spec.name().length();
    }
}

package dev.berth.wire;

/**
 * The result of a removal.
 *
 * @param removed how many tasks this request removed
 * @param remaining how many more the same request would remove
 */
public record TasksRemoved(long removed, long remaining) {}

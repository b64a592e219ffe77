package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * Position of a task in its queue.
 *
 * @param line name of the queue; null when it does not wait
 * @param position zero-based; null when it does not wait
 */
public record QueuePosition(long taskId, @Nullable String line, @Nullable Integer position) {}

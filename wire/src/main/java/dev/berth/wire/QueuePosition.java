package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * Where a task stands.
 *
 * @param line null when it does not wait
 * @param position zero-based; null when it does not wait
 */
public record QueuePosition(long taskId, @Nullable String line, @Nullable Integer position) {}

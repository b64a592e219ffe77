package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * How much of the GPUs a task uses.
 *
 * @param memoryGb on each GPU; null if not stated
 * @param share the task shares its GPUs with other tasks
 */
public record GpuLimits(int maxGpu, @Nullable Double memoryGb, boolean share) {}

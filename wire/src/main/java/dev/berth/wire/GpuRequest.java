package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * The GPUs that a task needs in order to start.
 *
 * @param gpuType null if any type will do
 */
public record GpuRequest(@Nullable String gpuType, int gpuCount) {}

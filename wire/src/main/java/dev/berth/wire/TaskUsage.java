package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * What a task used of its GPUs, compared to what it requested.
 *
 * @param peakMemoryMb the highest use on one GPU
 * @param meanMemoryMb mean over time, on one GPU
 * @param memoryAskedMb null if it stated none
 * @param gpuSeconds number of GPUs times the time it held them
 */
public record TaskUsage(
        long peakMemoryMb,
        long meanMemoryMb,
        @Nullable Integer peakUtilization,
        @Nullable Integer meanUtilization,
        double watchedSeconds,
        @Nullable Long memoryAskedMb,
        double gpuSeconds) {}

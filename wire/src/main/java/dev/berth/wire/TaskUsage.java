package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * What a task made of its cards, against what it asked for.
 *
 * @param peakMemoryMb the most that it held on one card
 * @param meanMemoryMb over time, on one card
 * @param memoryAskedMb null where it stated none
 * @param gpuSeconds cards times the time that it had them
 */
public record TaskUsage(
        long peakMemoryMb,
        long meanMemoryMb,
        @Nullable Integer peakUtilization,
        @Nullable Integer meanUtilization,
        double watchedSeconds,
        @Nullable Long memoryAskedMb,
        double gpuSeconds) {}

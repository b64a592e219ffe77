package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * What earlier runs tell about a task. Null if no earlier run is like it.
 *
 * @param predictedSeconds half of those runs took no longer
 * @param predictedSecondsHigh nine of ten took no longer
 * @param predictedFrom number of those runs
 * @param suggestedMemoryMb GPU memory that is enough for such a task, with a margin
 */
public record RunPrediction(
        @Nullable Double predictedSeconds,
        @Nullable Double predictedSecondsHigh,
        @Nullable Integer predictedFrom,
        @Nullable Long suggestedMemoryMb) {}

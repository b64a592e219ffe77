package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * Measurements of one interval; null if the driver did not report the value.
 *
 * @param t begin of the interval, in seconds since 1970
 * @param memoryMb mean, as all values without "peak" in their name
 */
public record HistoryPoint(
        long t,
        @Nullable Long memoryMb,
        @Nullable Long memoryPeakMb,
        @Nullable Double utilization,
        @Nullable Long utilizationPeak,
        @Nullable Double temperature,
        @Nullable Long temperaturePeak) {}

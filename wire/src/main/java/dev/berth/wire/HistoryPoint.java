package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * What was measured in one step of a history; null where the driver did not say.
 *
 * @param t where the step begins, in seconds since 1970
 * @param memoryMb its mean, as those below without "peak"
 */
public record HistoryPoint(
        long t,
        @Nullable Long memoryMb,
        @Nullable Long memoryPeakMb,
        @Nullable Double utilization,
        @Nullable Long utilizationPeak,
        @Nullable Double temperature,
        @Nullable Long temperaturePeak) {}

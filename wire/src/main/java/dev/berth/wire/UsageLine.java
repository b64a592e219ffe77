package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * GPU use of a user within a period, and its efficiency; unknown values are null.
 *
 * @param user null for the sum of all users
 * @param tasks number of tasks that ran or ended in the period
 * @param waitP95Seconds 95th percentile of the waiting time
 * @param utilizationMean in percent, weighted by GPU-seconds
 * @param memoryAskedMb mean of the requested memory per GPU, over tasks whose peak is known
 * @param memoryPeakMb mean of the peak memory per GPU of those tasks
 * @param memoryEfficiency peak divided by requested
 */
public record UsageLine(
        @Nullable String user,
        long tasks,
        long completed,
        long failed,
        long cancelled,
        double gpuHours,
        @Nullable Double waitMeanSeconds,
        @Nullable Double waitP95Seconds,
        @Nullable Double utilizationMean,
        @Nullable Long memoryAskedMb,
        @Nullable Long memoryPeakMb,
        @Nullable Double memoryEfficiency) {}

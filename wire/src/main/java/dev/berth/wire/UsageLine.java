package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * What somebody had of the cards within a time, and how well it was used; null where nothing is
 * known.
 *
 * @param user null for everybody together
 * @param tasks that ran or ended in that time
 * @param waitP95Seconds 95 of 100 waits were no longer
 * @param utilizationMean in percent, each card-second counting the same
 * @param memoryAskedMb per card, the mean of what was asked for, where the peak is known too
 * @param memoryPeakMb per card, the mean of what those came to hold at most
 * @param memoryEfficiency peak by asked
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

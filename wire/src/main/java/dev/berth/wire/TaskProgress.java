package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * Progress of a running task, from its output.
 *
 * @param unit what is counted, like epoch or step
 * @param finishAt expected end at the current rate
 * @param line the line of its log that shows it
 * @param stalledSeconds seconds without progress; only if unusual for this task
 */
public record TaskProgress(
        long done,
        long total,
        int percent,
        String unit,
        @Nullable Double perSecond,
        @Nullable String finishAt,
        String line,
        @Nullable Long stalledSeconds) {}

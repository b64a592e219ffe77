package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * How far a running task has come, by what it prints.
 *
 * @param unit what is counted, like epoch or step
 * @param finishAt when all will be done at this rate
 * @param line of its log that says so
 * @param stalledSeconds it has come no further for so long, which is not its way
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

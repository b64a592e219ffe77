package dev.berth.core.predict;

import java.time.Duration;

/**
 * How long a task will probably run, by earlier runs that are like it.
 *
 * @param median half of those runs took no longer
 * @param p90 nine of ten of those runs took no longer
 * @param runs how many there were
 */
public record RunTime(Duration median, Duration p90, int runs) {}

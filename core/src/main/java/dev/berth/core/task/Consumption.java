package dev.berth.core.task;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * What an attempt made of its cards, as far as it was looked at.
 *
 * @param peakMib the most that its processes held on one card
 * @param meanMib over time, on one card
 * @param peakPercent the busiest that one of its cards was; absent where the driver does not say
 * @param watched for so long
 */
public record Consumption(
        long peakMib,
        long meanMib,
        OptionalInt peakPercent,
        OptionalInt meanPercent,
        Duration watched) {}

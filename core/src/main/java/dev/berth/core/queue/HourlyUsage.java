package dev.berth.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * GPU-seconds by the hour in which they were used, for a little more than a day. Hours count from
 * the epoch.
 */
public record HourlyUsage(SortedMap<Long, Double> byHour) {

    public static final HourlyUsage NONE = new HourlyUsage(new TreeMap<>());

    public static final Duration WINDOW = Duration.ofHours(24);

    private static final long SECONDS_PER_HOUR = 3600;
    private static final long HOURS_KEPT = 25;

    public HourlyUsage {
        byHour = Collections.unmodifiableSortedMap(new TreeMap<>(byHour));
    }

    /** With the use of GPUs from one moment to another. */
    public HourlyUsage plus(int gpuCount, Instant from, Instant to) {
        double end = seconds(to);
        double begin = Math.max(seconds(from), end - HOURS_KEPT * SECONDS_PER_HOUR);
        long lastHour = hour(end);
        var after = new TreeMap<>(byHour.tailMap(lastHour - HOURS_KEPT));
        while (begin < end) {
            long hour = hour(begin);
            double until = Math.min(end, (hour + 1.0) * SECONDS_PER_HOUR);
            after.merge(hour, gpuCount * (until - begin), Double::sum);
            begin = until;
        }
        return new HourlyUsage(after);
    }

    /** GPU-seconds of the last 24 hours; the use of an hour counts as evenly spread over it. */
    public double lastDay(Instant now) {
        double begin = seconds(now.minus(WINDOW));
        double used = 0;
        for (var hour : byHour.tailMap(hour(begin)).entrySet()) {
            double end = (hour.getKey() + 1.0) * SECONDS_PER_HOUR;
            used += hour.getValue() * Math.clamp((end - begin) / SECONDS_PER_HOUR, 0.0, 1.0);
        }
        return used;
    }

    private static long hour(double seconds) {
        return (long) Math.floor(seconds / SECONDS_PER_HOUR);
    }

    private static double seconds(Instant time) {
        return time.toEpochMilli() / 1000.0;
    }
}

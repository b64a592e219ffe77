package dev.berth.core.share;

import dev.berth.core.task.Priority;

import java.time.Duration;

/** One limit of a user, and which part of the configuration it comes from. */
public record Limit(LimitKey key, double value, LimitSource source) {

    private static final double SECONDS_PER_HOUR = 3600;

    /** A more urgent priority is the larger value. */
    public static double ofPriority(Priority priority) {
        return -priority.ordinal();
    }

    public int count() {
        return (int) value;
    }

    public Duration time() {
        return Duration.ofSeconds(Math.round(value * SECONDS_PER_HOUR));
    }

    public Priority priority() {
        return Priority.values()[(int) -value];
    }

    public double gpuSeconds() {
        return value * SECONDS_PER_HOUR;
    }
}

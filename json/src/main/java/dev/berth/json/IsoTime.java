package dev.berth.json;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/**
 * Timestamps in the API: ISO-8601 in UTC, always with microseconds, so that they also sort as text.
 */
public final class IsoTime {

    private static final DateTimeFormatter MICROS =
            new DateTimeFormatterBuilder().appendInstant(6).toFormatter();

    private IsoTime() {}

    public static String format(Instant at) {
        return MICROS.format(at);
    }
}

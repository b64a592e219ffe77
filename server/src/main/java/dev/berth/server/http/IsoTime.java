package dev.berth.server.http;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/**
 * Times as they travel: ISO-8601 in UTC, always with microseconds, so that they also sort as text.
 */
public final class IsoTime {

    private static final DateTimeFormatter MICROS =
            new DateTimeFormatterBuilder().appendInstant(6).toFormatter();

    private IsoTime() {}

    public static String text(Instant at) {
        return MICROS.format(at);
    }
}

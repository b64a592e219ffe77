package dev.berth.findings.progress;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Durations as printed by bars: {@code 01:41}, {@code 1:02:03}, {@code 1 day, 2:03:04}, {@code
 * 12s}, {@code 2h 5m}, {@code 3.5 hours}.
 */
final class PrintedDuration {

    private static final Pattern CLOCK =
            Pattern.compile(
                    "^(?:(\\d{1,5}) ?d(?:ays?)?,? ?)?(?:(\\d{1,6}):)?(\\d{1,6}):(\\d{1,2})"
                            + "(?:\\.\\d{1,9})?$");

    private static final String NUMBER = "(\\d{1,8}(?:\\.\\d{1,6})?) ?";

    private static final Pattern UNITS =
            Pattern.compile(
                    "^(?:"
                            + NUMBER
                            + "d(?:ays?)?,? ?)?(?:"
                            + NUMBER
                            + "h(?:ours?|rs?)? ?)?(?:"
                            + NUMBER
                            + "m(?:in(?:utes?|s)?)? ?)?(?:"
                            + NUMBER
                            + "s(?:ec(?:onds?|s)?)?)?$");

    private static final double MILLIS = 1000;
    private static final double MINUTE = 60 * MILLIS;
    private static final double HOUR = 60 * MINUTE;
    private static final double DAY = 24 * HOUR;

    private PrintedDuration() {}

    /** Empty if the bar shows no time yet. */
    static Optional<Duration> parse(String text) {
        var printed = text.strip();
        var clock = CLOCK.matcher(printed);
        if (clock.find()) {
            return Optional.of(
                    Duration.ofDays(whole(clock.group(1)))
                            .plusHours(whole(clock.group(2)))
                            .plusMinutes(whole(clock.group(3)))
                            .plusSeconds(whole(clock.group(4))));
        }
        var units = UNITS.matcher(printed);
        if (!printed.isEmpty() && units.find()) {
            double millis =
                    number(units.group(1)) * DAY
                            + number(units.group(2)) * HOUR
                            + number(units.group(3)) * MINUTE
                            + number(units.group(4)) * MILLIS;
            return Optional.of(Duration.ofMillis((long) millis));
        }
        return Optional.empty();
    }

    private static long whole(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private static double number(@Nullable String digits) {
        return digits == null ? 0 : Double.parseDouble(digits);
    }
}

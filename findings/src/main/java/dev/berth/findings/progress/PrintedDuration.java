package dev.berth.findings.progress;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Durations as printed by bars: {@code 01:41}, {@code 1:02:03}, {@code 1 day, 2:03:04}, {@code
 * 12s}.
 */
final class PrintedDuration {

    private static final Pattern CLOCK =
            Pattern.compile("^(?:(\\d{1,5}) days?,? )?(?:(\\d{1,6}):)?(\\d{1,6}):(\\d{1,2})$");
    private static final Pattern UNITS =
            Pattern.compile("^(?:(\\d{1,5})h ?)?(?:(\\d{1,6})m(?:in)? ?)?(?:(\\d{1,8})s)?$");

    private PrintedDuration() {}

    /** Empty if the bar shows no time yet. */
    static Optional<Duration> parse(String text) {
        var clock = CLOCK.matcher(text);
        if (clock.find()) {
            return Optional.of(
                    Duration.ofDays(number(clock.group(1)))
                            .plusHours(number(clock.group(2)))
                            .plusMinutes(number(clock.group(3)))
                            .plusSeconds(number(clock.group(4))));
        }
        var units = UNITS.matcher(text);
        if (!text.isEmpty() && units.find()) {
            return Optional.of(
                    Duration.ofHours(number(units.group(1)))
                            .plusMinutes(number(units.group(2)))
                            .plusSeconds(number(units.group(3))));
        }
        return Optional.empty();
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}

package dev.berth.core.batch;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/** Slurm's notation of a time limit: minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM or D-HH:MM:SS. */
public final class BatchTime {

    private static final Pattern TIME =
            Pattern.compile("(?:(\\d{1,5})-)?(\\d{1,7})(?::(\\d{1,7}))?(?::(\\d{1,7}))?");

    private BatchTime() {}

    /** Empty if the text is no time. */
    public static Optional<Duration> parse(String text) {
        var found = TIME.matcher(text.strip());
        if (!found.matches()) {
            return Optional.empty();
        }
        long first = number(found.group(2));
        long second = number(found.group(3));
        long third = number(found.group(4));
        if (found.group(1) != null) {
            return Optional.of(
                    Duration.ofDays(number(found.group(1)))
                            .plusHours(first)
                            .plusMinutes(second)
                            .plusSeconds(third));
        }
        return Optional.of(
                found.group(4) == null
                        ? Duration.ofMinutes(first).plusSeconds(second)
                        : Duration.ofHours(first).plusMinutes(second).plusSeconds(third));
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}

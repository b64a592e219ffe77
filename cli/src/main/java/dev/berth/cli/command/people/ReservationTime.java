package dev.berth.cli.command.people;

import dev.berth.cli.call.CliClock;
import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.AmountParser;
import dev.berth.cli.text.TimestampText;

import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.util.OptionalInt;

/** Times as users type them: {@code 14:00}, {@code 2026-01-31T08:00}, {@code +2h}. */
final class ReservationTime {

    private ReservationTime() {}

    /** In the form of the API; now if there is none. */
    static String parse(@Nullable String typed, CliClock clock) {
        Instant now = clock.now();
        if (typed == null || typed.equals("now")) {
            return now.toString();
        }
        if (typed.startsWith("+")) {
            OptionalInt seconds = AmountParser.seconds(typed.substring(1));
            if (seconds.isPresent()) {
                return now.plusSeconds(seconds.getAsInt()).toString();
            }
        }
        if (TimestampText.parseEpochSecond(typed).isPresent()) {
            return typed;
        }
        try {
            return typed.length() <= "23:59".length()
                    ? nextAt(typed, now, clock)
                    : at(typed, clock);
        } catch (DateTimeException unreadable) {
            throw new UsageError("--from needs a time like 14:00, 2026-01-31T08:00 or +2h");
        }
    }

    /** The next time of this day or the following one. */
    private static String nextAt(String typed, Instant now, CliClock clock) {
        LocalTime time = LocalTime.parse(typed.length() == "9:00".length() ? "0" + typed : typed);
        ZonedDateTime today = now.atZone(clock.zone()).with(time).withNano(0);
        return (today.toInstant().isAfter(now) ? today : today.plusDays(1)).toInstant().toString();
    }

    private static String at(String typed, CliClock clock) {
        String text = typed.replace(' ', 'T');
        int end = "2026-01-31".length();
        LocalDate day = LocalDate.parse(text.length() > end ? text.substring(0, end) : text);
        LocalTime time =
                text.length() > end ? LocalTime.parse(text.substring(end + 1)) : LocalTime.MIDNIGHT;
        return day.atTime(time).atZone(clock.zone()).toInstant().toString();
    }
}

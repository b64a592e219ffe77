package dev.berth.cli.text;

import org.jspecify.annotations.Nullable;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.OptionalLong;
import java.util.TimeZone;

/**
 * Parses the server's times (ISO-8601 with a zone) into seconds since 1970. Does not use the JDK's
 * formatters, because loading them takes longer than all other work of a {@code berth} call.
 */
public final class TimestampText {

    private static final int DATE_AND_TIME = "2025-01-31T23:59:59".length();

    private TimestampText() {}

    /** Empty if there is no time, or if it is invalid. */
    public static OptionalLong parseEpochSecond(@Nullable String iso) {
        if (iso == null || iso.length() <= DATE_AND_TIME) {
            return OptionalLong.empty();
        }
        int zone = DATE_AND_TIME;
        if (iso.charAt(zone) == '.') {
            do {
                zone++;
            } while (zone < iso.length() && isDigit(iso.charAt(zone)));
        }
        try {
            long day =
                    LocalDate.of(number(iso, 0, 4), number(iso, 5, 7), number(iso, 8, 10))
                            .toEpochDay();
            long second =
                    number(iso, 11, 13) * 3600L + number(iso, 14, 16) * 60L + number(iso, 17, 19);
            return OptionalLong.of(day * 86_400 + second - offset(iso.substring(zone)));
        } catch (RuntimeException unreadable) {
            return OptionalLong.empty();
        }
    }

    /** {@code 2025-01-31 23:59:59}, in local time with this offset. */
    public static String format(long epochSecond, ZoneOffset offset) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(epochSecond, 0, offset);
        StringBuilder text = new StringBuilder(DATE_AND_TIME).append(time.getYear());
        two(text.append('-'), time.getMonthValue());
        two(text.append('-'), time.getDayOfMonth());
        two(text.append(' '), time.getHour());
        two(text.append(':'), time.getMinute());
        two(text.append(':'), time.getSecond());
        return text.toString();
    }

    /** Without the rules of a {@code ZoneId}: to load them takes longer than most commands. */
    public static ZoneOffset offset(TimeZone zone, long epochSecond) {
        return ZoneOffset.ofTotalSeconds(zone.getOffset(epochSecond * 1000) / 1000);
    }

    private static void two(StringBuilder text, int number) {
        text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
    }

    private static int offset(String zone) {
        if (zone.equals("Z")) {
            return 0;
        }
        int seconds = number(zone, 1, 3) * 3600;
        if (zone.length() > 3) {
            seconds += number(zone, zone.charAt(3) == ':' ? 4 : 3, zone.length()) * 60;
        }
        return switch (zone.charAt(0)) {
            case '+' -> seconds;
            case '-' -> -seconds;
            default -> throw new NumberFormatException(zone);
        };
    }

    private static int number(String text, int from, int to) {
        return Integer.parseInt(text, from, to, 10);
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }
}

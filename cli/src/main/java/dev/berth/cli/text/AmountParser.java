package dev.berth.cli.text;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** Parses numbers with units as users type them. An empty result means that the text is invalid. */
public final class AmountParser {

    /** A larger number is a typing error; no field of the API accepts it. */
    private static final int MAX_VALUE = 1_000_000_000;

    private AmountParser() {}

    /** A non-negative integer. */
    public static OptionalInt count(String text) {
        if (text.isEmpty() || text.length() > 10) {
            return OptionalInt.empty();
        }
        long number = 0;
        for (int at = 0; at < text.length(); at++) {
            char digit = text.charAt(at);
            if (digit < '0' || digit > '9') {
                return OptionalInt.empty();
            }
            number = number * 10 + digit - '0';
        }
        return number > MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) number);
    }

    /** Memory in GB of 1024 MB: {@code 20G}, {@code 20480M}, {@code 1.5GiB}; without a unit, GB. */
    public static OptionalDouble gigabytes(String text) {
        String upper = text.toUpperCase(Locale.ROOT);
        int end = 0;
        while (end < upper.length() && "0123456789.".indexOf(upper.charAt(end)) >= 0) {
            end++;
        }
        double factor =
                switch (upper.substring(end)) {
                    case "", "G", "GB", "GIB" -> 1;
                    case "M", "MB", "MIB" -> 1.0 / 1024;
                    case "T", "TB", "TIB" -> 1024;
                    default -> 0;
                };
        if (factor == 0) {
            return OptionalDouble.empty();
        }
        try {
            double amount = Double.parseDouble(upper.substring(0, end)) * factor;
            return amount > 0 && amount < MAX_VALUE
                    ? OptionalDouble.of(amount)
                    : OptionalDouble.empty();
        } catch (NumberFormatException notANumber) {
            return OptionalDouble.empty();
        }
    }

    /** A duration: {@code 90s}, {@code 2h}, {@code 1d12h}, or {@code 1:30:00}. */
    public static OptionalInt seconds(String text) {
        return text.indexOf(':') < 0 ? unitSeconds(text) : clockSeconds(text);
    }

    private static OptionalInt unitSeconds(String text) {
        long total = 0;
        long largest = Long.MAX_VALUE;
        int start = 0;
        for (int at = 0; at < text.length(); at++) {
            long unit =
                    switch (text.charAt(at)) {
                        case 'd' -> 86_400;
                        case 'h' -> 3_600;
                        case 'm' -> 60;
                        case 's' -> 1;
                        default -> 0;
                    };
            if (unit == 0) {
                continue;
            }
            OptionalInt number = count(text.substring(start, at));
            if (number.isEmpty() || unit >= largest) {
                return OptionalInt.empty();
            }
            total += number.getAsInt() * unit;
            largest = unit;
            start = at + 1;
        }
        return start == text.length() ? withinBounds(total) : OptionalInt.empty();
    }

    /** Hours, minutes and seconds, the format of time limits in batch systems. */
    private static OptionalInt clockSeconds(String text) {
        int first = text.indexOf(':');
        int second = text.indexOf(':', first + 1);
        if (second < 0) {
            return OptionalInt.empty();
        }
        OptionalInt hours = count(text.substring(0, first));
        OptionalInt minutes = count(text.substring(first + 1, second));
        OptionalInt seconds = count(text.substring(second + 1));
        if (hours.isEmpty() || minutes.orElse(60) > 59 || seconds.orElse(60) > 59) {
            return OptionalInt.empty();
        }
        return withinBounds(
                hours.getAsInt() * 3600L + minutes.getAsInt() * 60L + seconds.getAsInt());
    }

    private static OptionalInt withinBounds(long seconds) {
        return seconds > 0 && seconds <= MAX_VALUE
                ? OptionalInt.of((int) seconds)
                : OptionalInt.empty();
    }
}

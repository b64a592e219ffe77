package dev.berth.cli.text;

/** Formats durations for people. */
public final class DurationText {

    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private DurationText() {}

    /**
     * One number: {@code 12s}, {@code 3m}, {@code 2h}, {@code 5d}. A negative duration, caused by
     * clocks that disagree, gives {@code 0s}.
     */
    public static String brief(long seconds) {
        if (seconds < MINUTE) {
            return Math.max(0, seconds) + "s";
        }
        if (seconds < HOUR) {
            return seconds / MINUTE + "m";
        }
        return seconds < 2 * DAY ? seconds / HOUR + "h" : seconds / DAY + "d";
    }

    /**
     * For a time ahead, with which people plan: {@code 12s}, {@code 3m}, {@code 1h55m}, {@code
     * 5d2h}.
     */
    public static String ahead(long seconds) {
        if (seconds < HOUR) {
            return brief(seconds);
        }
        long unit = seconds < DAY ? MINUTE : HOUR;
        return exact((seconds + unit / 2) / unit * unit);
    }

    /** The two largest units: {@code 2h 5m}. */
    public static String full(long seconds) {
        if (seconds < MINUTE) {
            return Math.max(0, seconds) + "s";
        }
        if (seconds < HOUR) {
            return seconds / MINUTE + "m " + seconds % MINUTE + "s";
        }
        if (seconds < DAY) {
            return seconds / HOUR + "h " + seconds % HOUR / MINUTE + "m";
        }
        return seconds / DAY + "d " + seconds % DAY / HOUR + "h";
    }

    /** All units, as the options accept them: {@code 1h30m}. */
    public static String exact(long seconds) {
        StringBuilder text = new StringBuilder();
        part(seconds / DAY, 'd', text);
        part(seconds % DAY / HOUR, 'h', text);
        part(seconds % HOUR / MINUTE, 'm', text);
        part(seconds % MINUTE, 's', text);
        return text.isEmpty() ? "0s" : text.toString();
    }

    private static void part(long number, char unit, StringBuilder text) {
        if (number > 0) {
            text.append(number).append(unit);
        }
    }
}

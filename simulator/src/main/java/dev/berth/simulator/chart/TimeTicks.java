package dev.berth.simulator.chart;

import dev.berth.simulator.chart.Panel.Tick;

import java.util.ArrayList;
import java.util.List;

/** Round times on an axis. */
final class TimeTicks {

    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private static final int MOST = 8;

    private static final List<Long> STEPS =
            List.of(
                    1L,
                    10L,
                    MINUTE,
                    5 * MINUTE,
                    15 * MINUTE,
                    HOUR,
                    3 * HOUR,
                    6 * HOUR,
                    12 * HOUR,
                    DAY,
                    2 * DAY,
                    5 * DAY,
                    10 * DAY,
                    20 * DAY,
                    50 * DAY,
                    100 * DAY,
                    200 * DAY,
                    500 * DAY,
                    1000 * DAY,
                    2000 * DAY,
                    5000 * DAY);

    private static final List<Long> LOGARITHMIC =
            List.of(
                    0L,
                    1L,
                    10L,
                    MINUTE,
                    10 * MINUTE,
                    HOUR,
                    6 * HOUR,
                    DAY,
                    10 * DAY,
                    100 * DAY,
                    1000 * DAY,
                    10_000 * DAY);

    private TimeTicks() {}

    /** Equal distances from 0 to the longest time. */
    static List<Tick> linear(long longestS) {
        long step =
                STEPS.stream()
                        .filter(one -> longestS / one <= MOST)
                        .findFirst()
                        .orElse(STEPS.getLast());
        var ticks = new ArrayList<Tick>();
        for (long time = 0; time <= longestS; time += step) {
            ticks.add(new Tick((double) time / Math.max(1, longestS), text(time)));
        }
        return ticks;
    }

    static List<Tick> logarithmic(long longestS) {
        return LOGARITHMIC.stream()
                .filter(time -> time <= longestS)
                .map(time -> new Tick(position(time, longestS), text(time)))
                .toList();
    }

    /** From 0 to 1; zero seconds are at 0. */
    static double position(long timeS, long longestS) {
        return Math.log1p(timeS) / Math.log1p(Math.max(1, longestS));
    }

    private static String text(long seconds) {
        if (seconds < MINUTE) {
            return seconds == 0 ? "0" : seconds + " s";
        }
        if (seconds < HOUR) {
            return seconds / MINUTE + " min";
        }
        return seconds % DAY == 0 ? seconds / DAY + " d" : seconds / HOUR + " h";
    }
}

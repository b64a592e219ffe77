package dev.berth.findings.progress;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Done and total, as printed in one line.
 *
 * @param name text before the count
 * @param elapsed since the bar was first drawn; zero if the line does not show it
 */
record ProgressCount(
        Kind kind,
        String name,
        long done,
        long total,
        String unit,
        OptionalDouble perSecond,
        Optional<Duration> timeLeft,
        Duration elapsed) {

    enum Kind {
        BAR,
        TEXT,
        /** {@code [3/10]} at the start of a line, which may count anything. */
        BRACKET
    }

    static ProgressCount text(String name, long done, long total, String unit) {
        return new ProgressCount(
                Kind.TEXT,
                name,
                done,
                total,
                unit,
                OptionalDouble.empty(),
                Optional.empty(),
                Duration.ZERO);
    }

    boolean isValid() {
        return total >= 1 && done >= 0 && done <= total;
    }

    boolean isFinished() {
        return done == total;
    }

    /** Equal for all states of the same bar. */
    String key() {
        return name.replaceAll("\\d+", "#") + "/" + total;
    }

    ProgressCount withTimeLeft(Optional<Duration> time) {
        return new ProgressCount(kind, name, done, total, unit, perSecond, time, elapsed);
    }

    /** The printed rate, or one derived from the printed time left. */
    OptionalDouble rate() {
        if (perSecond.isPresent() || timeLeft.isEmpty() || !timeLeft.get().isPositive()) {
            return perSecond;
        }
        return OptionalDouble.of((total - done) / (timeLeft.get().toMillis() / 1000.0));
    }

    /**
     * The outer count.
     *
     * @param total empty if the line does not show it
     */
    record Epoch(long number, OptionalLong total) {}
}

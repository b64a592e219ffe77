package dev.berth.core.progress;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * So many of so many, as one line says.
 *
 * @param name what stands before it
 * @param elapsed since the bar was first drawn; zero where a line does not say
 */
record Count(
        Kind kind,
        String name,
        long done,
        long total,
        String unit,
        OptionalDouble perSecond,
        Optional<Duration> left,
        Duration elapsed) {

    enum Kind {
        BAR,
        TEXT,
        /** A list's {@code [3/10]}, which counts for anything. */
        BRACKET
    }

    static Count text(String name, long done, long total, String unit) {
        return new Count(
                Kind.TEXT,
                name,
                done,
                total,
                unit,
                OptionalDouble.empty(),
                Optional.empty(),
                Duration.ZERO);
    }

    boolean isSane() {
        return total >= 1 && done >= 0 && done <= total;
    }

    boolean isFinished() {
        return done == total;
    }

    /** The same bar in another state has the same key. */
    String key() {
        return name.replaceAll("\\d+", "#") + "/" + total;
    }

    Count leaving(Optional<Duration> time) {
        return new Count(kind, name, done, total, unit, perSecond, time, elapsed);
    }

    /** As the line says, or as follows from the time that it says is left. */
    OptionalDouble rate() {
        if (perSecond.isPresent() || left.isEmpty() || !left.get().isPositive()) {
            return perSecond;
        }
        return OptionalDouble.of((total - done) / (left.get().toMillis() / 1000.0));
    }

    /**
     * What encloses a count.
     *
     * @param total where the line says it
     */
    record Epoch(long number, OptionalLong total) {}
}

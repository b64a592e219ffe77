package dev.berth.core.progress;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How far a task has come.
 *
 * @param unit what is counted, like {@code epoch} or {@code step}
 * @param perSecond how many of them
 * @param left until all are done
 * @param line of its log that says so
 */
public record Progress(
        long done,
        long total,
        String unit,
        OptionalDouble perSecond,
        Optional<Duration> left,
        String line) {

    public Progress {
        if (total < 1 || done < 0 || done > total) {
            throw new IllegalArgumentException(done + " of " + total + " is no progress");
        }
    }

    /** Rounded down, so that only what is done is 100. */
    public int percent() {
        return (int) (100 * done / total);
    }
}

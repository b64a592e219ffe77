package dev.berth.findings.progress;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Progress of a task.
 *
 * @param unit what is counted, like {@code epoch} or {@code step}
 * @param perSecond units per second
 * @param timeLeft time until all are done
 * @param line the line of the log that shows it
 */
public record Progress(
        long done,
        long total,
        String unit,
        OptionalDouble perSecond,
        Optional<Duration> timeLeft,
        String line) {

    public Progress {
        if (total < 1 || done < 0 || done > total) {
            throw new IllegalArgumentException(done + " of " + total + " is no progress");
        }
    }

    /** Rounded down, so that 100 means finished. */
    public int percent() {
        return (int) (100 * done / total);
    }
}

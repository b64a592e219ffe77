package dev.berth.runs;

import java.time.Duration;

/**
 * When the process file may be written next. A large file takes long to write, so it is written
 * less often: writing takes a tenth of the time at most, and a change waits a second at most.
 */
final class WritePace {

    /** Changes within this time are written together. */
    static final Duration SHORTEST = Duration.ofMillis(50);

    static final Duration LONGEST = Duration.ofSeconds(1);

    private static final int REST = 10;

    private long nextNanos;

    /**
     * @param now of a clock that does not jump, in nanoseconds, as for all that follows
     */
    WritePace(long now) {
        this.nextNanos = now;
    }

    /** A write has ended. */
    void written(long begin, long end) {
        long rest = Math.clamp((end - begin) * REST, SHORTEST.toNanos(), LONGEST.toNanos());
        nextNanos = end + rest;
    }

    boolean isDue(long now) {
        return now - nextNanos >= 0;
    }

    /** The time until the next write; zero or negative if it is due. */
    Duration left(long now) {
        return Duration.ofNanos(nextNanos - now);
    }
}

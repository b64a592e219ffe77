package dev.berth.retention;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Which ended tasks are removed without a request.
 *
 * @param keepDays those that ended longer ago are removed; 0 for none
 * @param keepTasks if there are more ended tasks, those that ended first are removed; 0 for none
 */
public record RetentionRules(long keepDays, long keepTasks) {

    /** Nothing is removed without a request. */
    public static final RetentionRules KEEP_ALL = new RetentionRules(0, 0);

    /** Tasks that ended before this time are removed. */
    Optional<Instant> endedBefore(Instant now) {
        return keepDays == 0 ? Optional.empty() : Optional.of(now.minus(Duration.ofDays(keepDays)));
    }

    /**
     * How many tasks are too many.
     *
     * @param ended the number of ended tasks
     */
    long excess(long ended) {
        return keepTasks == 0 ? 0 : Math.max(0, ended - keepTasks);
    }
}

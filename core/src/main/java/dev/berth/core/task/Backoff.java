package dev.berth.core.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When a failed task is retried.
 *
 * @param immediateRetries number of retries without a delay before each delayed one
 * @param delay the delay
 */
public record Backoff(int immediateRetries, Duration delay) {

    public static final Backoff DEFAULT = new Backoff(3, Duration.ofMinutes(10));

    public Backoff {
        if (immediateRetries < 1 || delay.isNegative()) {
            throw new IllegalArgumentException("no backoff: " + immediateRetries + ", " + delay);
        }
    }

    /**
     * The earliest start of a retry; empty if it may start immediately.
     *
     * @param retry number of the coming retry, from 1
     */
    public Optional<Instant> notBefore(int retry, Instant now) {
        boolean isDelayed = retry > 1 && (retry - 1) % immediateRetries == 0 && !delay.isZero();
        return isDelayed ? Optional.of(now.plus(delay)) : Optional.empty();
    }
}

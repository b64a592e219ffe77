package dev.berth.core.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When a task that failed is tried again.
 *
 * @param atOnce so many retries follow at once, then the next one waits
 * @param rest for how long
 */
public record Backoff(int atOnce, Duration rest) {

    public static final Backoff USUAL = new Backoff(3, Duration.ofMinutes(10));

    public Backoff {
        if (atOnce < 1 || rest.isNegative()) {
            throw new IllegalArgumentException("no backoff: " + atOnce + ", " + rest);
        }
    }

    /**
     * Before when it must not start.
     *
     * @param retry which one it will be, from 1
     */
    public Optional<Instant> notBefore(int retry, Instant now) {
        boolean rests = retry > 1 && (retry - 1) % atOnce == 0 && !rest.isZero();
        return rests ? Optional.of(now.plus(rest)) : Optional.empty();
    }
}

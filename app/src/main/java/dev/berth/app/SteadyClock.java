package dev.berth.app;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.function.LongSupplier;

/**
 * The system time, without its jumps. Time advances with the monotonic clock and follows small
 * corrections of the system time. A larger jump is followed only when the system time has kept it
 * for a while, so a short error of the clock leaves no trace in what is stored.
 */
final class SteadyClock extends Clock {

    private static final Logger log = LoggerFactory.getLogger(SteadyClock.class);

    /** A larger difference is a jump. */
    static final Duration JUMP = Duration.ofSeconds(2);

    /** A jump that lasts this long is a new setting of the clock. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private final InstantSource system;
    private final LongSupplier nanos;
    private Instant anchor;
    private long anchorNanos;
    private boolean isJumped;
    private long jumpNanos;
    private Duration jump = Duration.ZERO;

    /**
     * @param nanos a monotonic clock
     */
    SteadyClock(InstantSource system, LongSupplier nanos) {
        this.system = system;
        this.nanos = nanos;
        this.anchor = system.instant();
        this.anchorNanos = nanos.getAsLong();
    }

    @Override
    public synchronized Instant instant() {
        long now = nanos.getAsLong();
        var steady = anchor.plusNanos(now - anchorNanos);
        var shown = system.instant();
        var difference = Duration.between(steady, shown);
        if (difference.abs().compareTo(JUMP) <= 0) {
            isJumped = false;
            // Never back: a smaller system time is reached by waiting.
            follow(difference.isNegative() ? steady : shown, now);
        } else if (hasKept(difference, now)) {
            log.warn("the system time changed by {} s", difference.toSeconds());
            follow(shown, now);
        }
        return anchor.plusNanos(now - anchorNanos).truncatedTo(ChronoUnit.MICROS);
    }

    private void follow(Instant time, long now) {
        isJumped = false;
        anchor = time;
        anchorNanos = now;
    }

    private boolean hasKept(Duration difference, long now) {
        if (!isJumped || difference.minus(jump).abs().compareTo(JUMP) > 0) {
            isJumped = true;
            jump = difference;
            jumpNanos = now;
        }
        return now - jumpNanos >= PATIENCE.toNanos();
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    /** The zone matters only to callers that ask for it, and none does. */
    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}

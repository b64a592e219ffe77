package dev.berth.server.api.access;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/** Bounds the recorded failed logins: some in a minute, the others are counted. */
final class FailedLogins {

    static final int PER_MINUTE = 10;

    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanos;
    private long minute;
    private int recorded;
    private int left;

    FailedLogins(LongSupplier nanos) {
        this.nanos = nanos;
        this.minute = nanos.getAsLong();
    }

    /** The number of failures to record now, with those that were left out before. */
    synchronized OptionalInt failed() {
        long now = nanos.getAsLong();
        if (now - minute >= MINUTE_NANOS) {
            minute = now;
            recorded = 0;
        }
        if (recorded >= PER_MINUTE) {
            left++;
            return OptionalInt.empty();
        }
        recorded++;
        int count = left + 1;
        left = 0;
        return OptionalInt.of(count);
    }
}

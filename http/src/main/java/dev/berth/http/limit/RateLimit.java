package dev.berth.http.limit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Rate limit for each user: a token bucket. */
public final class RateLimit {

    private static final double NANOS = 1e9;

    private final double perSecond;
    private final double burst;
    private final LongSupplier nanos;
    private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();

    private record Bucket(double left, long at, boolean isGranted) {}

    /**
     * @param nanos a monotonic clock
     */
    public RateLimit(int perSecond, int burst, LongSupplier nanos) {
        this.perSecond = perSecond;
        this.burst = burst;
        this.nanos = nanos;
    }

    /** Takes one token, if there is one. */
    public boolean tryAcquire(String principal) {
        long now = nanos.getAsLong();
        return buckets.compute(principal, (_, previous) -> refilled(previous, now)).isGranted();
    }

    private Bucket refilled(@org.jspecify.annotations.Nullable Bucket previous, long now) {
        double left =
                previous == null
                        ? burst
                        : Math.min(burst, previous.left + (now - previous.at) / NANOS * perSecond);
        return left >= 1 ? new Bucket(left - 1, now, true) : new Bucket(left, now, false);
    }
}

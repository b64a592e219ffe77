package dev.berth.server.limit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** How many more requests each user may make now: a bucket that drips full again. */
public final class Allowances {

    private static final double NANOS = 1e9;

    private final double perSecond;
    private final double burst;
    private final LongSupplier nanos;
    private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();

    private record Bucket(double left, long at, boolean isGranted) {}

    /**
     * @param nanos a clock that only goes forward
     */
    public Allowances(int perSecond, int burst, LongSupplier nanos) {
        this.perSecond = perSecond;
        this.burst = burst;
        this.nanos = nanos;
    }

    /** Takes one, if there is one. */
    public boolean take(String principal) {
        long now = nanos.getAsLong();
        return buckets.compute(principal, (_, known) -> after(known, now)).isGranted();
    }

    private Bucket after(@org.jspecify.annotations.Nullable Bucket known, long now) {
        double left =
                known == null
                        ? burst
                        : Math.min(burst, known.left + (now - known.at) / NANOS * perSecond);
        return left >= 1 ? new Bucket(left - 1, now, true) : new Bucket(left, now, false);
    }
}

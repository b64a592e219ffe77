package dev.berth.server.stream;

import java.util.function.Supplier;

/**
 * State of which clients need only the latest version. It is refreshed at intervals and sent when
 * it has changed.
 */
final class LatestView {

    /**
     * @param version grows with every change
     */
    record Versioned(long version, Object value, byte[] message) {
        @Override
        public String toString() {
            return "version " + version;
        }
    }

    private final String name;
    private final long everyNanos;
    private final Supplier<Object> source;
    private volatile Versioned newest = blank(0);
    private long refreshedAt;
    private boolean isRefreshed;
    private boolean isStale = true;

    LatestView(String name, long everyNanos, Supplier<Object> source) {
        this.name = name;
        this.everyNanos = everyNanos;
        this.source = source;
    }

    private static Versioned blank(long version) {
        return new Versioned(version, "nothing yet", new byte[0]);
    }

    /** Drops the current version, so that only a fresh one is sent. */
    synchronized void reset() {
        newest = blank(newest.version);
        isRefreshed = false;
        isStale = true;
    }

    Versioned newest() {
        return newest;
    }

    /** Marks that the state may have changed. */
    synchronized void markStale() {
        isStale = true;
    }

    /** Refreshes if the state may have changed and the interval has passed. */
    synchronized void refresh(long nanos) {
        if (nanosUntilDue(nanos) > 0) {
            return;
        }
        isRefreshed = true;
        isStale = false;
        refreshedAt = nanos;
        var value = source.get();
        if (!value.equals(newest.value)) {
            newest = new Versioned(newest.version + 1, value, SseMessage.of(name, value));
        }
    }

    synchronized long nanosUntilDue(long nanos) {
        if (!isStale) {
            return Long.MAX_VALUE;
        }
        return isRefreshed ? everyNanos - (nanos - refreshedAt) : 0;
    }
}

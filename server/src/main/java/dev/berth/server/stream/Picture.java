package dev.berth.server.stream;

import java.util.function.Supplier;

/** Something of which only the newest state matters: made now and then, sent when it changed. */
final class Picture {

    /**
     * @param version grows with every change
     */
    record Shot(long version, Object value, byte[] message) {
        @Override
        public String toString() {
            return "version " + version;
        }
    }

    private final String name;
    private final long everyNanos;
    private final Supplier<Object> source;
    private volatile Shot newest = blank(0);
    private long takenAt;
    private boolean isTaken;
    private boolean isStale = true;

    Picture(String name, long everyNanos, Supplier<Object> source) {
        this.name = name;
        this.everyNanos = everyNanos;
        this.source = source;
    }

    private static Shot blank(long version) {
        return new Shot(version, "nothing yet", new byte[0]);
    }

    /** From now on only what is looked at anew is shown. */
    synchronized void forget() {
        newest = blank(newest.version);
        isTaken = false;
        isStale = true;
    }

    Shot newest() {
        return newest;
    }

    /** Something has happened: it may have changed. */
    synchronized void stale() {
        isStale = true;
    }

    /** Looks again where it may have changed, but not too often; true if it has. */
    synchronized boolean refresh(long nanos) {
        if (nanosUntilDue(nanos) > 0) {
            return false;
        }
        isTaken = true;
        isStale = false;
        takenAt = nanos;
        var value = source.get();
        if (value.equals(newest.value)) {
            return false;
        }
        newest = new Shot(newest.version + 1, value, Message.of(name, value));
        return true;
    }

    synchronized long nanosUntilDue(long nanos) {
        if (!isStale) {
            return Long.MAX_VALUE;
        }
        return isTaken ? everyNanos - (nanos - takenAt) : 0;
    }
}

package dev.berth.files;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits log lines that clients can cause: of each kind, the first few of a minute are written and
 * the others counted. Otherwise requests could rotate all earlier lines away. Thread-safe.
 */
public final class LineSampler {

    /** Kinds with a limit of their own; further ones share one. */
    static final int MAX_KINDS = 1000;

    private static final String OTHER_KINDS = "other";
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanos;
    private final Map<String, Minute> minutes = new LinkedHashMap<>();

    /** How many lines of a kind were left out. */
    public record LeftOut(String kind, long lines) {}

    /** The current minute of one kind; it starts with the first line. */
    private static final class Minute {
        private final long start;
        private int written;
        private long leftOut;

        Minute(long start) {
            this.start = start;
        }
    }

    /**
     * @param nanos a monotonic clock
     */
    public LineSampler(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * True if one more line of this kind may be written. Otherwise it is counted.
     *
     * @param perMinute lines of this kind that are written in a minute
     */
    public synchronized boolean admits(String kind, int perMinute) {
        long now = nanos.getAsLong();
        var known = minutes.containsKey(kind) || minutes.size() < MAX_KINDS ? kind : OTHER_KINDS;
        var minute = minutes.computeIfAbsent(known, _ -> new Minute(now));
        if (isOver(minute, now) && minute.leftOut == 0) {
            minute = new Minute(now);
            minutes.put(known, minute);
        }
        if (minute.written < perMinute) {
            minute.written++;
            return true;
        }
        minute.leftOut++;
        return false;
    }

    /** The counts of all minutes that are over; they are returned once. */
    public synchronized List<LeftOut> takeFinished() {
        long now = nanos.getAsLong();
        var finished = new ArrayList<LeftOut>();
        minutes.entrySet()
                .removeIf(
                        entry -> {
                            var minute = entry.getValue();
                            if (!isOver(minute, now)) {
                                return false;
                            }
                            addTo(finished, entry);
                            return true;
                        });
        return finished;
    }

    /** All counts, for the last lines before the end. */
    public synchronized List<LeftOut> takeAll() {
        var all = new ArrayList<LeftOut>();
        minutes.entrySet().forEach(entry -> addTo(all, entry));
        minutes.clear();
        return all;
    }

    private static void addTo(List<LeftOut> counts, Map.Entry<String, Minute> entry) {
        if (entry.getValue().leftOut > 0) {
            counts.add(new LeftOut(entry.getKey(), entry.getValue().leftOut));
        }
    }

    private static boolean isOver(Minute minute, long now) {
        return now - minute.start >= MINUTE_NANOS;
    }
}

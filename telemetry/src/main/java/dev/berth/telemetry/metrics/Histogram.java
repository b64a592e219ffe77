package dev.berth.telemetry.metrics;

import java.util.Collections;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** A histogram. Adding a value does not block. */
final class Histogram {

    /** Each value counts once, at the lowest bound that is not below it. */
    private final NavigableMap<Double, LongAdder> counts = new TreeMap<>();

    private final DoubleAdder sum = new DoubleAdder();

    /**
     * @param bounds of the buckets; an unbounded one is added
     */
    Histogram(double... bounds) {
        for (double bound : bounds) {
            counts.put(bound, new LongAdder());
        }
        counts.put(Double.POSITIVE_INFINITY, new LongAdder());
    }

    void add(double value) {
        counts.ceilingEntry(value).getValue().increment();
        sum.add(value);
    }

    /**
     * A snapshot.
     *
     * @param cumulative cumulative counts by upper bound
     */
    record HistogramSnapshot(SortedMap<Double, Long> cumulative, long count, double sum) {
        HistogramSnapshot {
            cumulative = Collections.unmodifiableSortedMap(new TreeMap<>(cumulative));
        }
    }

    HistogramSnapshot snapshot() {
        var upTo = new TreeMap<Double, Long>();
        long count = 0;
        for (var bucket : counts.entrySet()) {
            count += bucket.getValue().sum();
            upTo.put(bucket.getKey(), count);
        }
        return new HistogramSnapshot(upTo, count, sum.sum());
    }
}

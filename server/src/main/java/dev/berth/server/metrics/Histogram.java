package dev.berth.server.metrics;

import java.util.Collections;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** How values are spread. Whoever adds one waits for nobody. */
final class Histogram {

    /** Each value once, under the lowest bound that is not below it. */
    private final NavigableMap<Double, LongAdder> counts = new TreeMap<>();

    private final DoubleAdder sum = new DoubleAdder();

    /**
     * @param bounds of the buckets; one without a bound is added
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
     * All values so far.
     *
     * @param upTo how many are not above each bound
     */
    record Spread(SortedMap<Double, Long> upTo, long count, double sum) {
        Spread {
            upTo = Collections.unmodifiableSortedMap(new TreeMap<>(upTo));
        }
    }

    Spread spread() {
        var upTo = new TreeMap<Double, Long>();
        long count = 0;
        for (var bucket : counts.entrySet()) {
            count += bucket.getValue().sum();
            upTo.put(bucket.getKey(), count);
        }
        return new Spread(upTo, count, sum.sum());
    }
}

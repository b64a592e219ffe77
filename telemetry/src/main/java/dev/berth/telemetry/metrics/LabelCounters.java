package dev.berth.telemetry.metrics;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters by label. */
final class LabelCounters {

    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    void add(String label) {
        counts.computeIfAbsent(label, _ -> new LongAdder()).increment();
    }

    long countOf(String label) {
        var count = counts.get(label);
        return count == null ? 0 : count.sum();
    }

    SortedMap<String, Long> all() {
        var all = new TreeMap<String, Long>();
        counts.forEach((label, count) -> all.put(label, count.sum()));
        return Collections.unmodifiableSortedMap(all);
    }
}

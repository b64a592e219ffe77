package dev.berth.core.collect;

import java.util.SortedMap;

/** An immutable counter per key. */
public record KeyCounts(PersistentMap<String, Integer> counts) {

    public static final KeyCounts EMPTY = new KeyCounts(PersistentMap.empty());

    public static KeyCounts of(SortedMap<String, Integer> counts) {
        var all = PersistentMap.<String, Integer>empty();
        for (var entry : counts.entrySet()) {
            all = all.with(entry.getKey(), entry.getValue());
        }
        return new KeyCounts(all);
    }

    public int count(String key) {
        return counts.get(key).orElse(0);
    }

    public KeyCounts plus(String key) {
        return new KeyCounts(counts.with(key, count(key) + 1));
    }

    public KeyCounts minus(String key) {
        int remaining = count(key) - 1;
        return new KeyCounts(remaining <= 0 ? counts.without(key) : counts.with(key, remaining));
    }

    public int total() {
        return counts.values().mapToInt(Integer::intValue).sum();
    }
}

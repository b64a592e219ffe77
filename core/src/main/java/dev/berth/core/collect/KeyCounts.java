package dev.berth.core.collect;

/** An immutable counter per key. */
public record KeyCounts(PersistentMap<String, Integer> counts) {

    public static final KeyCounts EMPTY = new KeyCounts(PersistentMap.empty());

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

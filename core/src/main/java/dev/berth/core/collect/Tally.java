package dev.berth.core.collect;

/** How many there are of each. */
public record Tally(PersistentMap<String, Integer> counts) {

    public static final Tally EMPTY = new Tally(PersistentMap.empty());

    public int of(String what) {
        return counts.get(what).orElse(0);
    }

    public Tally plus(String what) {
        return new Tally(counts.with(what, of(what) + 1));
    }

    public Tally minus(String what) {
        int left = of(what) - 1;
        return new Tally(left <= 0 ? counts.without(what) : counts.with(what, left));
    }

    public int total() {
        return counts.values().mapToInt(Integer::intValue).sum();
    }
}

package dev.berth.app.bench;

import java.util.Arrays;

/** Many measurements of one thing, in milliseconds. */
record Spread(double[] sorted) {

    static Spread of(double[] values) {
        var sorted = values.clone();
        Arrays.sort(sorted);
        return new Spread(sorted);
    }

    double p(int percent) {
        return sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
    }

    @Override
    public String toString() {
        return "p50 %.1f ms, p95 %.1f ms (n=%d)".formatted(p(50), p(95), sorted.length);
    }
}

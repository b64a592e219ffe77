package dev.berth.app.bench;

import java.util.Arrays;

/** Sorted measurements of one figure, in milliseconds. */
record Percentiles(double[] sorted) {

    static Percentiles of(double[] values) {
        var sorted = values.clone();
        Arrays.sort(sorted);
        return new Percentiles(sorted);
    }

    double p(int percent) {
        return sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
    }

    @Override
    public String toString() {
        return "p50 %.2f ms, p95 %.2f ms (n=%d)".formatted(p(50), p(95), sorted.length);
    }
}

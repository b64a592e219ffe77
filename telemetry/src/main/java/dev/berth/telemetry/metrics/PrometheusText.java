package dev.berth.telemetry.metrics;

/** Writes the Prometheus text format 0.0.4. */
final class PrometheusText {

    /** Above this value a double cannot represent every integer. */
    private static final double MAX_EXACT = 1L << 53;

    private final StringBuilder text = new StringBuilder(16 << 10);

    MetricFamily gauge(String name, String help) {
        return family(name, "gauge", help);
    }

    MetricFamily counter(String name, String help) {
        return family(name, "counter", help);
    }

    void histogram(String name, String help, Histogram histogram) {
        family(name, "histogram", help);
        var spread = histogram.snapshot();
        var buckets = new MetricFamily(name + "_bucket");
        spread.cumulative().forEach((bound, count) -> buckets.add(count, "le", number(bound)));
        new MetricFamily(name + "_sum").add(spread.sum());
        new MetricFamily(name + "_count").add(spread.count());
    }

    private MetricFamily family(String name, String type, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        return new MetricFamily(name);
    }

    /** All samples of one metric name. */
    final class MetricFamily {
        private final String name;

        private MetricFamily(String name) {
            this.name = name;
        }

        /**
         * @param labels names and values alternating
         */
        MetricFamily add(double value, String... labels) {
            return add(number(value), labels);
        }

        MetricFamily add(long value, String... labels) {
            return add(Long.toString(value), labels);
        }

        private MetricFamily add(String value, String... labels) {
            text.append(name);
            for (int i = 0; i < labels.length; i += 2) {
                text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
                text.append(escaped(labels[i + 1])).append('"');
            }
            text.append(labels.length == 0 ? " " : "} ").append(value).append('\n');
            return this;
        }
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private static String number(double value) {
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        boolean isWhole = Math.rint(value) == value && Math.abs(value) < MAX_EXACT;
        return isWhole ? Long.toString((long) value) : Double.toString(value);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}

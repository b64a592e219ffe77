package dev.berth.server.metrics;

/** Writes Prometheus' text format 0.0.4. */
final class Exposition {

    /** Beyond it a double no longer tells two whole numbers apart. */
    private static final double WHOLE = 1L << 53;

    private final StringBuilder text = new StringBuilder(16 << 10);

    Family gauge(String name, String help) {
        return begin(name, "gauge", help);
    }

    Family counter(String name, String help) {
        return begin(name, "counter", help);
    }

    void histogram(String name, String help, Histogram histogram) {
        begin(name, "histogram", help);
        var spread = histogram.spread();
        var buckets = new Family(name + "_bucket");
        spread.upTo().forEach((bound, count) -> buckets.add(count, "le", number(bound)));
        new Family(name + "_sum").add(spread.sum());
        new Family(name + "_count").add(spread.count());
    }

    private Family begin(String name, String type, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        return new Family(name);
    }

    /** All that goes by one name. */
    final class Family {
        private final String name;

        private Family(String name) {
            this.name = name;
        }

        /**
         * @param labels names and values in turn
         */
        Family add(double value, String... labels) {
            return add(number(value), labels);
        }

        Family add(long value, String... labels) {
            return add(Long.toString(value), labels);
        }

        private Family add(String value, String... labels) {
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
        boolean isWhole = Math.rint(value) == value && Math.abs(value) < WHOLE;
        return isWhole ? Long.toString((long) value) : Double.toString(value);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}

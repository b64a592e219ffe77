package dev.berth.node.process;

import java.util.Optional;

/**
 * What an attempt's processes carry in their environment, so that they are found wherever they
 * went.
 *
 * @param home tells this home's attempts from those of another home on the same host
 * @param attempt as it is written, {@code 7.1}
 */
public record Marker(String home, String attempt) {
    public static final String VARIABLE = "BERTH_ATTEMPT";
    private static final char SEPARATOR = '/';

    public Marker {
        if (home.isEmpty() || attempt.isEmpty() || (home + attempt).indexOf(SEPARATOR) >= 0) {
            throw new IllegalArgumentException("no marker: " + home + SEPARATOR + attempt);
        }
    }

    /** The variable's value. */
    public String value() {
        return home + SEPARATOR + attempt;
    }

    public static Optional<Marker> parse(String value) {
        var cut = value.indexOf(SEPARATOR);
        return cut > 0 && cut == value.lastIndexOf(SEPARATOR) && cut < value.length() - 1
                ? Optional.of(new Marker(value.substring(0, cut), value.substring(cut + 1)))
                : Optional.empty();
    }
}

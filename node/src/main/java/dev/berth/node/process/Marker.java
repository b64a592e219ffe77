package dev.berth.node.process;

import java.util.Optional;

/**
 * A variable in the environment of an attempt's processes, by which they are found.
 *
 * @param homeId distinguishes the attempts of this home from those of another home on the same host
 * @param attempt in written form, {@code 7.1}
 */
public record Marker(String homeId, String attempt) {
    public static final String VARIABLE = "BERTH_ATTEMPT";
    private static final char SEPARATOR = '/';

    public Marker {
        if (homeId.isEmpty() || attempt.isEmpty() || (homeId + attempt).indexOf(SEPARATOR) >= 0) {
            throw new IllegalArgumentException("no marker: " + homeId + SEPARATOR + attempt);
        }
    }

    /** The value of the variable. */
    public String value() {
        return homeId + SEPARATOR + attempt;
    }

    public static Optional<Marker> parse(String value) {
        var cut = value.indexOf(SEPARATOR);
        return cut > 0 && cut == value.lastIndexOf(SEPARATOR) && cut < value.length() - 1
                ? Optional.of(new Marker(value.substring(0, cut), value.substring(cut + 1)))
                : Optional.empty();
    }
}

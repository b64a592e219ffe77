package dev.berth.core.lane;

import java.util.Locale;
import java.util.Optional;

/** How many cards the tasks of a command file take. */
public enum Mode {
    /** One each. */
    SINGLE,
    /** As many as each block says. */
    MULTI;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Mode> of(String word) {
        for (var mode : values()) {
            if (mode.word().equals(word)) {
                return Optional.of(mode);
            }
        }
        return Optional.empty();
    }
}

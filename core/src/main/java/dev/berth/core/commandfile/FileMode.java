package dev.berth.core.commandfile;

import java.util.Locale;
import java.util.Optional;

/** How many GPUs the tasks of a command file take. */
public enum FileMode {
    /** One each. */
    SINGLE,
    /** As many as each block states. */
    MULTI;

    public String apiName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<FileMode> parse(String word) {
        for (var mode : values()) {
            if (mode.apiName().equals(word)) {
                return Optional.of(mode);
            }
        }
        return Optional.empty();
    }
}

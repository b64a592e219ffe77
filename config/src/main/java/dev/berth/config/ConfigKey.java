package dev.berth.config;

import java.util.Locale;
import java.util.Optional;

/**
 * One configuration key.
 *
 * @param name dotted if the key is in a group
 * @param defaultValue the default; empty if there is none
 */
record ConfigKey<T>(String name, ValueType<T> type, Optional<T> defaultValue, String description) {

    static <T> ConfigKey<T> withDefault(
            String name, ValueType<T> kind, T usual, String description) {
        return new ConfigKey<>(name, kind, Optional.of(usual), description);
    }

    static <T> ConfigKey<T> withoutDefault(String name, ValueType<T> kind, String description) {
        return new ConfigKey<>(name, kind, Optional.empty(), description);
    }

    /** The name without its group, which is accepted too. */
    String shortName() {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** The environment variable that sets it. */
    String environmentVariable() {
        // smtp.host must not share BERTH_HOST with the server's own host.
        boolean isWhole =
                name.startsWith(NotificationKeys.SMTP)
                        || name.startsWith(CommandKeys.GROUP)
                        || name.startsWith(ShareKeys.LIMITS);
        var own = isWhole ? name.replace('.', '_') : shortName();
        return "BERTH_" + own.toUpperCase(Locale.ROOT);
    }
}

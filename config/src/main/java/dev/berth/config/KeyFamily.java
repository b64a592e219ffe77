package dev.berth.config;

import java.util.Optional;

/**
 * Keys that differ only in a user-defined name, such as {@code users.alice.weight} and {@code
 * users.bob.weight}.
 *
 * @param group the part before the name
 * @param suffix the part after the name, with its dot; may be empty
 */
record KeyFamily<T>(String group, String suffix, ValueType<T> kind, String description) {

    ConfigKey<T> keyOf(String member) {
        return ConfigKey.withoutDefault(group + "." + member + suffix, kind, description);
    }

    /** The user-defined name in this key; empty if the key is not of this family. */
    Optional<String> memberOf(String key) {
        var before = group + ".";
        return key.length() > before.length() + suffix.length()
                        && key.startsWith(before)
                        && key.endsWith(suffix)
                ? Optional.of(key.substring(before.length(), key.length() - suffix.length()))
                : Optional.empty();
    }

    /** True if this name can only be a group with keys below it. */
    boolean isGroup(String name) {
        return name.equals(group)
                || (!suffix.isEmpty()
                        && contains(name)
                        && name.indexOf('.', group.length() + 1) < 0);
    }

    /** User-defined names may contain dots. */
    boolean contains(String name) {
        return name.startsWith(group + ".");
    }

    /** As written in the documentation. */
    String documentedName() {
        return group + ".NAME" + suffix;
    }
}

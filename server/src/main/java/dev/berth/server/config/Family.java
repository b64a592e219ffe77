package dev.berth.server.config;

import java.util.Optional;

/**
 * Keys that differ in a name of people's own, as {@code users.alice.weight} and {@code
 * users.bob.weight} do.
 *
 * @param group before the name
 * @param own after the name, with its dot; empty where nothing comes after it
 */
record Family<T>(String group, String own, Kind<T> kind, String about) {

    Key<T> of(String member) {
        return Key.unset(group + "." + member + own, kind, about);
    }

    /** Whose key this is, if it is one of these. */
    Optional<String> member(String key) {
        var before = group + ".";
        return key.length() > before.length() + own.length()
                        && key.startsWith(before)
                        && key.endsWith(own)
                ? Optional.of(key.substring(before.length(), key.length() - own.length()))
                : Optional.empty();
    }

    /** Whether this can only be a name with keys below it. */
    boolean isGroup(String name) {
        return name.equals(group)
                || (!own.isEmpty() && isWithin(name) && name.indexOf('.', group.length() + 1) < 0);
    }

    /** People's names may have dots. */
    boolean isWithin(String name) {
        return name.startsWith(group + ".");
    }

    /** As the documentation has it. */
    String shown() {
        return group + ".NAME" + own;
    }
}

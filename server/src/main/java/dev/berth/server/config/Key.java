package dev.berth.server.config;

import java.util.Locale;
import java.util.Optional;

/**
 * One thing that can be set.
 *
 * @param name dotted where it stands in a group
 * @param usual its value where nobody sets it; empty if it then has none
 * @param isInForce whether anything follows from it yet; what the seeds' files hold beyond that is
 *     read and checked all the same
 */
record Key<T>(String name, Kind<T> kind, Optional<T> usual, boolean isInForce, String about) {

    static <T> Key<T> of(String name, Kind<T> kind, T usual, String about) {
        return new Key<>(name, kind, Optional.of(usual), true, about);
    }

    static <T> Key<T> unset(String name, Kind<T> kind, String about) {
        return new Key<>(name, kind, Optional.empty(), true, about);
    }

    /** Accepted already, for the files that have it. */
    Key<T> later() {
        return new Key<>(name, kind, usual, false, about);
    }

    /** The name without its group, under which it is understood too. */
    String ownName() {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** The variable that sets it. */
    String variable() {
        // There is a host of the server's own.
        var own = name.startsWith(MessageKeys.SMTP) ? name.replace('.', '_') : ownName();
        return "BERTH_" + own.toUpperCase(Locale.ROOT);
    }
}

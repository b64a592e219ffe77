package dev.berth.core.access;

import java.util.Locale;

/** What a user may do. Each role may also do what the roles before it may. */
public enum Role {
    /** Sees tasks and GPUs, and changes nothing. */
    VIEWER,
    /** Submits tasks, and changes those that are the user's own. */
    USER,
    /** Sees and changes what belongs to other users. */
    ADMIN;

    /** The word in the configuration and in the API. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean isAtLeast(Role other) {
        return compareTo(other) >= 0;
    }
}

package dev.berth.http;

import dev.berth.core.access.Role;

import java.util.Locale;

/** Which callers may use a route. */
public enum AccessLevel {
    /** Every client, without authentication. */
    ANYONE,
    /** Authenticated callers whom this server serves, in any role. */
    SERVED,
    /** Callers who may submit tasks: all but viewers. */
    USER,
    /** Callers who may also act for other users. */
    ADMIN;

    /** The name used in the documentation's access table. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean allows(Caller caller) {
        return switch (this) {
            case ANYONE, SERVED -> true;
            case USER -> caller.role().isAtLeast(Role.USER);
            case ADMIN -> caller.isAdmin();
        };
    }
}

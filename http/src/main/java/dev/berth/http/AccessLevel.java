package dev.berth.http;

import java.util.Locale;

/** Which callers may use a route. */
public enum AccessLevel {
    /** Every client, without authentication. */
    ANYONE,
    /** Authenticated callers whom this server serves. */
    SERVED,
    /** Callers who may also act for other users. */
    ADMIN;

    /** The name used in the documentation's access table. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean allows(Caller caller) {
        return this != ADMIN || caller.isAdmin();
    }
}

package dev.berth.server.http;

import java.util.Locale;

/** Who may use a route. */
public enum Access {
    /** Everybody who reaches the door. */
    ANYONE,
    /** Those whom this server serves. */
    SERVED,
    /** Those of them who may also act for others. */
    ADMIN;

    /** As the table in the documentation has it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean allows(Caller caller) {
        return this != ADMIN || caller.isAdmin();
    }
}

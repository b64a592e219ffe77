package dev.berth.server.http;

/** Who may use a route. */
public enum Access {
    /** Everybody who reaches the door. */
    ANYONE,
    /** Those whom this server serves. */
    SERVED
}

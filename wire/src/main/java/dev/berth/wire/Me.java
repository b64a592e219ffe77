package dev.berth.wire;

/**
 * Whom the server takes the caller for.
 *
 * @param via how it knows: socket, token, session or loopback
 */
public record Me(String name, String principal, boolean admin, String via) {}

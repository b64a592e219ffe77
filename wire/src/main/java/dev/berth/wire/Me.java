package dev.berth.wire;

/**
 * The identity of the caller.
 *
 * @param via how the caller was authenticated: socket, token, session or loopback
 */
public record Me(String name, String principal, boolean admin, String via) {}

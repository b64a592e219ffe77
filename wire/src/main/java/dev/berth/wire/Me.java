package dev.berth.wire;

/**
 * The identity of the caller.
 *
 * @param role viewer, user or admin
 * @param via how the caller was authenticated: socket, token, session, loopback or proxy
 */
public record Me(String name, String principal, boolean admin, String role, String via) {}

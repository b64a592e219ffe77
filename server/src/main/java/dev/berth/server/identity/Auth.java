package dev.berth.server.identity;

/**
 * How callers on the loopback port show who they are. The socket needs nothing: the kernel knows.
 */
public enum Auth {
    /** By a token. */
    TOKEN,
    /** Not at all: programs of the server's own user and of root are served. */
    NONE
}

package dev.berth.identity;

/**
 * How callers on the loopback port are authenticated. On the Unix socket the kernel authenticates
 * them.
 */
public enum AuthMode {
    /** By a token or a login. */
    TOKEN,
    /**
     * By the kernel: it names the user of the client's socket. Only the server's user and root are
     * served.
     */
    NONE
}

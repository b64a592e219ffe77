package dev.berth.core.access;

import java.util.Locale;

/** How the caller of a request was authenticated. */
public enum Via {
    /** The kernel named the peer of the Unix socket. */
    SOCKET,
    /** A bearer token. */
    TOKEN,
    /** The cookie of a login. */
    SESSION,
    /** The kernel named the owner of the loopback client's socket. */
    LOOPBACK,
    /** A trusted proxy named the user in a header. */
    PROXY;

    /** The word in the API and in the store. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}

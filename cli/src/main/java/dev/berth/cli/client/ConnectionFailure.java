package dev.berth.cli.client;

import java.io.IOException;

/** There is no usable reply. The message describes the problem for the user. */
public final class ConnectionFailure extends IOException {

    private static final long serialVersionUID = 1;

    /** The kinds of failure that callers distinguish. */
    public enum Kind {
        /** No server listens at the address. */
        NO_SERVER,
        /** A server listens, but this user may not connect. */
        PERMISSION_DENIED,
        /**
         * The connection ended before the reply was complete. The server may have executed the
         * request.
         */
        CONNECTION_LOST,
        /** No reply within the timeout. */
        TIMEOUT,
        /** The reply is not valid HTTP, or too large. */
        MALFORMED_REPLY
    }

    private final Kind kind;

    ConnectionFailure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** True if a retry on a new connection may succeed. */
    public boolean isRetryable() {
        return kind == Kind.CONNECTION_LOST || kind == Kind.NO_SERVER;
    }
}

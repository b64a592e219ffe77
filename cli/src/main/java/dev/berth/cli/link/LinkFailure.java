package dev.berth.cli.link;

import java.io.IOException;

/** No answer could be had. Its message says what happened, in words for people. */
public final class LinkFailure extends IOException {

    private static final long serialVersionUID = 1;

    /** What went wrong, as far as the caller may act on it. */
    public enum Kind {
        /** Nobody listens there. */
        NO_SERVER,
        /** Somebody listens, and not to us. */
        NOT_ALLOWED,
        /** The connection ended before the answer did: whether the request was heard is unknown. */
        LOST,
        /** No answer in time. */
        SLOW,
        /** The answer is not HTTP as we speak it, or too large. */
        GARBLED
    }

    private final Kind kind;

    LinkFailure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** Another try on a fresh connection may succeed. */
    public boolean mayPass() {
        return kind == Kind.LOST || kind == Kind.NO_SERVER;
    }
}

package dev.berth.port;

/** The store failed; nothing of the batch was kept. */
public final class StoreFailure extends Exception {
    private static final long serialVersionUID = 1;

    /** The cause. */
    public enum Kind {
        /** No disk space: works again once there is space. */
        FULL,
        /** Locked, read-only or failing: may be temporary. */
        UNAVAILABLE,
        /** A newer server has opened this home: this one must not write again. */
        FENCED
    }

    private final Kind kind;

    public StoreFailure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public StoreFailure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}

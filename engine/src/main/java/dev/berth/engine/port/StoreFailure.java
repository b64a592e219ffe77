package dev.berth.engine.port;

/** Nothing of the batch was kept. */
public final class StoreFailure extends Exception {
    private static final long serialVersionUID = 1;

    /** What stands in the way. */
    public enum Kind {
        /** No space: passes when somebody makes room. */
        FULL,
        /** Locked, read-only or failing: may pass. */
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

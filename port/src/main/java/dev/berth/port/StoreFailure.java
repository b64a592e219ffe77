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
        /** The stored data is damaged: it stays so until a backup is restored. */
        DAMAGED,
        /**
         * Files of the home were removed or replaced while the server runs. Works again if the same
         * files are back.
         */
        REMOVED,
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

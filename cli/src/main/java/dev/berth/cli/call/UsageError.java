package dev.berth.cli.call;

/** The command line is invalid: exit status 2. */
public final class UsageError extends RuntimeException {

    private static final long serialVersionUID = 1;

    public UsageError(String message) {
        super(message, null, false, false);
    }

    /** Never null, unlike in {@link Throwable}. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}

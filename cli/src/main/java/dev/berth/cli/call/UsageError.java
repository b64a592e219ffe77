package dev.berth.cli.call;

/** The call was not understood: exit status 2. */
public final class UsageError extends RuntimeException {

    private static final long serialVersionUID = 1;

    public UsageError(String message) {
        super(message, null, false, false);
    }

    /** Never null, unlike what it overrides. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}

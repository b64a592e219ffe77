package dev.berth.cli.call;

/**
 * The command line was valid, but the command failed: exit status 1. The message is for the user.
 */
public final class CommandFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    public CommandFailure(String message) {
        super(message, null, false, false);
    }

    /** Never null, unlike in {@link Throwable}. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}

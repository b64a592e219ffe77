package dev.berth.simulator.trace;

/** A file or an option cannot be used. The message is for the user. */
public final class InvalidInput extends Exception {

    private static final long serialVersionUID = 1;

    public InvalidInput(String message) {
        super(message, null, false, false);
    }

    /** Never null, unlike in {@link Throwable}. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}

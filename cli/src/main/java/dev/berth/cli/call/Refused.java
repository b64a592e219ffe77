package dev.berth.cli.call;

/** The call was understood and did not happen: exit status 1. Its message is for people. */
public final class Refused extends RuntimeException {

    private static final long serialVersionUID = 1;

    public Refused(String message) {
        super(message, null, false, false);
    }

    /** Never null, unlike what it overrides. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}

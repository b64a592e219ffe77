package dev.berth.server.message;

/** Why a message did not arrive, in words that hold no secret. */
final class Undelivered extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean isRefused;

    Undelivered(String why) {
        this(why, false);
    }

    /**
     * @param isRefused this message would not arrive later either
     */
    Undelivered(String why, boolean isRefused) {
        // An expected outcome: nobody reads its stack.
        super(why, null, false, false);
        this.isRefused = isRefused;
    }

    boolean isRefused() {
        return isRefused;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}

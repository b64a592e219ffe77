package dev.berth.notify;

/** A message could not be delivered; the text contains no secret. */
final class DeliveryException extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean isPermanent;

    DeliveryException(String why) {
        this(why, false);
    }

    /**
     * @param isRefused a retry would fail as well
     */
    DeliveryException(String why, boolean isRefused) {
        // An expected outcome: the stack trace is never read.
        super(why, null, false, false);
        this.isPermanent = isRefused;
    }

    boolean isPermanent() {
        return isPermanent;
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}

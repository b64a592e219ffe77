package dev.berth.node.card;

/** The cards cannot be read now; the message says why and ends a sentence. */
final class ProbeFailure extends Exception {
    private static final long serialVersionUID = 1;

    ProbeFailure(String why) {
        super(why);
    }

    String why() {
        return String.valueOf(getMessage());
    }
}

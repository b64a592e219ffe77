package dev.berth.node.card;

/** The cards cannot be read now; the message says why and ends a sentence. */
final class ProbeFailure extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean isAnswer;

    ProbeFailure(String why) {
        this(why, false);
    }

    private ProbeFailure(String why, boolean isAnswer) {
        super(why);
        this.isAnswer = isAnswer;
    }

    /** Who was asked did answer, and did not say what was asked for. */
    static ProbeFailure answer(String why) {
        return new ProbeFailure(why, true);
    }

    boolean isAnswer() {
        return isAnswer;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}

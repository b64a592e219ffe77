package dev.berth.node.gpu;

/** The GPUs cannot be read now. The message gives the reason and can end a sentence. */
final class ProbeFailure extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean isInvalidAnswer;

    ProbeFailure(String why) {
        this(why, false);
    }

    private ProbeFailure(String why, boolean isAnswer) {
        super(why);
        this.isInvalidAnswer = isAnswer;
    }

    /** The program or library answered, but not with the requested data. */
    static ProbeFailure ofInvalidAnswer(String why) {
        return new ProbeFailure(why, true);
    }

    boolean isInvalidAnswer() {
        return isInvalidAnswer;
    }

    String why() {
        return String.valueOf(getMessage());
    }
}

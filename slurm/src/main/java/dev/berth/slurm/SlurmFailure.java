package dev.berth.slurm;

import dev.berth.core.task.ErrorSentence;

/** Slurm did not carry out a command. */
public final class SlurmFailure extends Exception {

    private static final long serialVersionUID = 1L;

    private final Kind kind;

    private enum Kind {
        UNREACHABLE,
        REFUSED,
        FORBIDDEN
    }

    private SlurmFailure(String message, Kind kind) {
        super(message);
        this.kind = kind;
    }

    /** Slurm does not answer: whether it carried out the command is unknown. */
    public static SlurmFailure unreachable(String message) {
        return new SlurmFailure(message, Kind.UNREACHABLE);
    }

    /** Slurm refused the command as it is. */
    public static SlurmFailure refused(String message) {
        return new SlurmFailure(message, Kind.REFUSED);
    }

    /** Nothing runs as the owner of the task, so Slurm was not asked. */
    public static SlurmFailure forbidden(String sentence) {
        return new SlurmFailure(sentence, Kind.FORBIDDEN);
    }

    /** What Slurm said, for people. */
    public String reason() {
        return String.valueOf(getMessage());
    }

    /** True if the same command would be refused again. */
    public boolean isRefusal() {
        return kind != Kind.UNREACHABLE;
    }

    /** The error of the task whose job was refused. */
    String taskError() {
        return kind == Kind.FORBIDDEN ? reason() : ErrorSentence.SLURM_REFUSED.text(reason());
    }
}

package dev.berth.slurm;

/** Slurm did not carry out a command. */
public final class SlurmFailure extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean isRefusal;

    private SlurmFailure(String message, boolean isRefusal) {
        super(message);
        this.isRefusal = isRefusal;
    }

    /** Slurm does not answer: whether it carried out the command is unknown. */
    public static SlurmFailure unreachable(String message) {
        return new SlurmFailure(message, false);
    }

    /** Slurm refused the command as it is. */
    public static SlurmFailure refused(String message) {
        return new SlurmFailure(message, true);
    }

    /** What Slurm said, for people. */
    public String reason() {
        return String.valueOf(getMessage());
    }

    /** True if the same command would be refused again. */
    public boolean isRefusal() {
        return isRefusal;
    }
}

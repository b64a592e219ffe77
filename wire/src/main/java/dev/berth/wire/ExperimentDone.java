package dev.berth.wire;

/** What was asked of an experiment has been done. */
public record ExperimentDone(boolean success, String message, Experiment experiment) {

    /** Which one, and where it stands now. */
    public record Experiment(long id, String status) {}
}

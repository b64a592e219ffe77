package dev.berth.wire;

/** A request about an experiment succeeded. */
public record ExperimentDone(boolean success, String message, Experiment experiment) {

    /** The experiment and its state. */
    public record Experiment(long id, String status) {}
}

package dev.berth.simulator.replay;

import dev.berth.simulator.trace.Job;

import java.util.Optional;

/** Decides who starts at an instant. */
interface SchedulingPass {

    /** The job waits from now on. */
    void submitted(Job job);

    /** The job has ended, and its place is free. */
    default void ended(Job job, long nowS) {}

    /** How well it predicted run times; empty if it knows them. */
    default Optional<Predictions> predictions() {
        return Optional.empty();
    }

    /** Starts jobs, after all ends and submits of this instant. */
    void run(long nowS);
}

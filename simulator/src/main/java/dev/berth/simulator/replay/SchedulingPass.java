package dev.berth.simulator.replay;

import dev.berth.simulator.trace.Job;

/** Decides who starts at an instant. */
interface SchedulingPass {

    /** The job waits from now on. */
    void submitted(Job job);

    /** The job has ended, and its place is free. */
    default void ended(Job job, long nowS) {}

    /** Starts jobs, after all ends and submits of this instant. */
    void run(long nowS);
}

package dev.berth.simulator.cluster;

import dev.berth.simulator.trace.JobNeed;

/**
 * What is free. It changes: each replay has its own.
 *
 * @param <G> the place of one job
 */
public interface Pool<G> {

    boolean fits(JobNeed need);

    /** Where a job that fits would go now. Nothing is taken. */
    G choose(JobNeed need);

    void take(G place);

    void release(G place);

    Pool<G> copy();

    /** All GPUs, free or not. */
    long gpus();
}

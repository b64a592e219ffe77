package dev.berth.simulator.cluster;

import dev.berth.simulator.trace.JobNeed;

/** Counts free GPUs and knows no nodes. */
public final class CountPool implements Pool<Integer> {

    private final long gpus;
    private long free;

    public CountPool(long gpus) {
        this(gpus, gpus);
    }

    private CountPool(long gpus, long free) {
        this.gpus = gpus;
        this.free = free;
    }

    @Override
    public boolean fits(JobNeed need) {
        return need.gpus() <= free;
    }

    @Override
    public Integer choose(JobNeed need) {
        return need.gpus();
    }

    @Override
    public void take(Integer place) {
        free -= place;
    }

    @Override
    public void release(Integer place) {
        free += place;
    }

    @Override
    public CountPool copy() {
        return new CountPool(gpus, free);
    }

    @Override
    public long gpus() {
        return gpus;
    }
}

package dev.berth.simulator.replay;

import dev.berth.simulator.trace.Job;

/** A job and when it started. */
public record ScheduledJob(Job job, long startS) {

    public long endS() {
        return startS + job.durationS();
    }

    public long waitS() {
        return startS - job.submitS();
    }
}

package dev.berth.simulator.replay;

import java.util.List;

/**
 * The result of a replay.
 *
 * @param jobs the accepted jobs in the order of the trace
 * @param rejected jobs that could not run on the empty cluster
 * @param gpus of the cluster
 */
public record Schedule(List<ScheduledJob> jobs, int rejected, long gpus) {

    public Schedule {
        jobs = List.copyOf(jobs);
    }
}

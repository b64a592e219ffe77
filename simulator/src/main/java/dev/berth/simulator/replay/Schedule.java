package dev.berth.simulator.replay;

import java.util.List;
import java.util.Optional;

/**
 * The result of a replay.
 *
 * @param jobs the accepted jobs in the order of the trace
 * @param rejected jobs that could not run on the empty cluster
 * @param gpus of the cluster
 * @param predictions of run times; empty if the policy knows them
 */
public record Schedule(
        List<ScheduledJob> jobs, int rejected, long gpus, Optional<Predictions> predictions) {

    public Schedule {
        jobs = List.copyOf(jobs);
    }

    public Schedule(List<ScheduledJob> jobs, int rejected, long gpus) {
        this(jobs, rejected, gpus, Optional.empty());
    }
}

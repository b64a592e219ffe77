package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.AttemptId;
import dev.berth.core.plan.ClusterWait;

/**
 * What is known about attempts that wait in a cluster.
 *
 * @param waits what the cluster says about them
 * @param withdrawn those that were asked back for a task of a higher class
 */
public record ClusterState(
        PersistentMap<AttemptId, ClusterWait> waits, PersistentMap<AttemptId, Boolean> withdrawn) {

    static final ClusterState NONE = new ClusterState(PersistentMap.empty(), PersistentMap.empty());

    ClusterState with(PersistentMap<AttemptId, ClusterWait> others) {
        return new ClusterState(others, withdrawn);
    }

    ClusterState withWithdrawn(AttemptId attempt) {
        return new ClusterState(waits, withdrawn.with(attempt, true));
    }

    /** The attempt waits no longer. */
    ClusterState without(AttemptId attempt) {
        return waits.contains(attempt) || withdrawn.contains(attempt)
                ? new ClusterState(waits.without(attempt), withdrawn.without(attempt))
                : this;
    }
}

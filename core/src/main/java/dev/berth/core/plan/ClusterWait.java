package dev.berth.core.plan;

import java.time.Instant;
import java.util.Optional;

/**
 * What the scheduler of a cluster says about a task that waits there.
 *
 * @param code names the reason in the API, for example {@code resources}
 * @param reason in the words of the cluster
 * @param expectedStart by the cluster's own plan, if it has one
 */
public record ClusterWait(String code, String reason, Optional<Instant> expectedStart) {

    /** The cluster has not said anything about the task yet. */
    public static final ClusterWait UNKNOWN = new ClusterWait("submitted", "", Optional.empty());
}

package dev.berth.slurm;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Mends what a crash of the controller leaves behind: hosts that Slurm itself drained, and GPUs
 * that count as used on hosts without a job. Hosts that a person drained are left alone.
 */
final class ClusterRepair {

    private static final Logger log = LoggerFactory.getLogger(ClusterRepair.class);

    private static final Duration RECONFIGURE_INTERVAL = Duration.ofMinutes(1);

    private final SlurmClient client;
    private Set<String> bookedWithoutJob = Set.of();
    private Instant reconfiguredAt = Instant.EPOCH;

    ClusterRepair(SlurmClient client) {
        this.client = client;
    }

    void repair(List<SlurmNode> nodes, Instant now) throws SlurmFailure {
        for (var node : ClusterState.drainedBySlurm(nodes)) {
            client.resume(node.name());
            log.info(
                    "node {} takes jobs again; Slurm had drained it: {}",
                    node.name(),
                    node.reason().orElse(""));
        }
        var booked = ClusterState.bookedWithoutJob(nodes);
        // A job that has just ended is not yet counted off.
        boolean isLasting = booked.stream().anyMatch(bookedWithoutJob::contains);
        bookedWithoutJob = booked;
        if (isLasting && now.isAfter(reconfiguredAt.plus(RECONFIGURE_INTERVAL))) {
            reconfiguredAt = now;
            client.reconfigure();
            log.info("Slurm counts again: GPUs of {} were booked without a job", booked);
        }
    }
}

package dev.berth.slurm;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Mends what a crash of the controller leaves behind: hosts that Slurm itself drained, and GPUs
 * that count as used on hosts without a job. Hosts that a person drained are left alone.
 */
final class ClusterRepair {

    private static final Logger log = LoggerFactory.getLogger(ClusterRepair.class);

    /** The words with which Slurm drains a host after a crash. */
    private static final List<String> OWN_REASONS =
            List.of("Duplicate jobid", "batch job complete failure", "Kill task failed");

    private static final Duration RECONFIGURE_INTERVAL = Duration.ofMinutes(1);

    private final SlurmClient client;
    private Set<String> bookedWithoutJob = Set.of();
    private Instant reconfiguredAt = Instant.EPOCH;

    ClusterRepair(SlurmClient client) {
        this.client = client;
    }

    /** Hosts that Slurm drained although nothing is wrong with them. */
    static List<SlurmNode> drainedBySlurm(List<SlurmNode> nodes) {
        return nodes.stream()
                .filter(node -> node.state().contains("drain"))
                .filter(
                        node ->
                                node.reason()
                                        .filter(
                                                why ->
                                                        OWN_REASONS.stream()
                                                                .anyMatch(why::startsWith))
                                        .isPresent())
                .toList();
    }

    /** Hosts without a job whose GPUs count as used. */
    static Set<String> bookedWithoutJob(List<SlurmNode> nodes) {
        var found = new TreeSet<String>();
        for (var node : nodes) {
            if (node.state().startsWith("idle") && !node.usedGpus().isEmpty()) {
                found.add(node.name());
            }
        }
        return found;
    }

    void repair(List<SlurmNode> nodes, Instant now) throws SlurmFailure {
        for (var node : drainedBySlurm(nodes)) {
            client.resume(node.name());
            log.info(
                    "node {} takes jobs again; Slurm had drained it: {}",
                    node.name(),
                    node.reason().orElse(""));
        }
        var booked = bookedWithoutJob(nodes);
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

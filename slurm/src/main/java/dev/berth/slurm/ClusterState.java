package dev.berth.slurm;

import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ExitRecord;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** What Slurm has wrong after a crash of its controller. */
public final class ClusterState {

    /** The words with which Slurm drains a host after a crash. */
    private static final List<String> OWN_REASONS =
            List.of("Duplicate jobid", "batch job complete failure", "Kill task failed");

    private ClusterState() {}

    /** Hosts that Slurm drained although nothing is wrong with them. */
    public static List<SlurmNode> drainedBySlurm(List<SlurmNode> nodes) {
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
    public static SortedSet<String> bookedWithoutJob(List<SlurmNode> nodes) {
        var found = new TreeSet<String>();
        for (var node : nodes) {
            if (node.state().startsWith("idle") && !node.usedGpus().isEmpty()) {
                found.add(node.name());
            }
        }
        return found;
    }

    /** Jobs that Slurm calls running although their attempt has left its exit code. */
    public static List<String> jobsThatAreOver(List<SlurmJob> jobs, Path tasks) {
        var found = new ArrayList<String>();
        for (var job : jobs) {
            boolean isOver =
                    job.stateName().equals("RUNNING")
                            && SharedAttemptFiles.attemptOf(tasks, job.script())
                                    .filter(id -> hasExited(AttemptDirectory.find(tasks, id)))
                                    .isPresent();
            if (isOver) {
                found.add(job.id());
            }
        }
        return found;
    }

    private static boolean hasExited(AttemptDirectory directory) {
        try {
            return ExitRecord.read(directory) instanceof ExitRecord.Code;
        } catch (IOException unreadable) {
            return false;
        }
    }
}

package dev.berth.core.plan;

import dev.berth.core.id.TaskId;
import dev.berth.core.queue.WaitingTasks;

import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The complete input of a scheduling pass.
 *
 * @param usedGpuSeconds GPU-seconds used by each principal, including what runs now
 * @param cpuTasks number of running tasks without a GPU
 * @param startingRuns file runs of which a task is still being started
 * @param startFaults what prevented the last start of single delayed tasks
 * @param pause why nothing may start now; empty if tasks may start
 * @param bounds the latest ends of tasks
 * @param cluster the cluster that runs the tasks, if they do not run on this host
 */
public record Snapshot(
        Instant at,
        WaitingTasks waiting,
        Fleet fleet,
        SortedMap<String, Double> usedGpuSeconds,
        int cpuTasks,
        SortedSet<Long> startingRuns,
        SortedMap<TaskId, String> startFaults,
        Optional<WaitReason.Paused> pause,
        RunBounds bounds,
        Optional<ClusterWindow> cluster) {

    /** Tasks run on this host. */
    public Snapshot(
            Instant at,
            WaitingTasks waiting,
            Fleet fleet,
            SortedMap<String, Double> used,
            int cpuTasks,
            SortedSet<Long> startingRuns,
            SortedMap<TaskId, String> startFaults,
            Optional<WaitReason.Paused> pause,
            RunBounds bounds) {
        this(
                at,
                waiting,
                fleet,
                used,
                cpuTasks,
                startingRuns,
                startFaults,
                pause,
                bounds,
                Optional.empty());
    }

    public Snapshot {
        usedGpuSeconds = Collections.unmodifiableSortedMap(new TreeMap<>(usedGpuSeconds));
        startFaults = Collections.unmodifiableSortedMap(new TreeMap<>(startFaults));
        startingRuns = Collections.unmodifiableSortedSet(new TreeSet<>(startingRuns));
    }

    /** Without file runs; nothing is known of the ends of tasks. */
    public Snapshot(
            Instant at,
            WaitingTasks waiting,
            Fleet fleet,
            SortedMap<String, Double> used,
            int cpuTasks,
            Optional<WaitReason.Paused> pause) {
        this(
                at,
                waiting,
                fleet,
                used,
                cpuTasks,
                Collections.emptySortedSet(),
                Collections.emptySortedMap(),
                pause,
                RunBounds.UNKNOWN);
    }

    public double usedGpuSeconds(String principal) {
        return usedGpuSeconds.getOrDefault(principal, 0.0);
    }

    /** The same snapshot with other waiting tasks. */
    public Snapshot with(WaitingTasks other) {
        return new Snapshot(
                at,
                other,
                fleet,
                usedGpuSeconds,
                cpuTasks,
                startingRuns,
                startFaults,
                pause,
                bounds,
                cluster);
    }

    /** The same snapshot without the pause. */
    public Snapshot unpaused() {
        return new Snapshot(
                at,
                waiting,
                fleet,
                usedGpuSeconds,
                cpuTasks,
                startingRuns,
                startFaults,
                Optional.empty(),
                bounds,
                cluster);
    }

    /** The same snapshot for tasks that a cluster runs. */
    public Snapshot with(ClusterWindow other) {
        return new Snapshot(
                at,
                waiting,
                fleet,
                usedGpuSeconds,
                cpuTasks,
                startingRuns,
                startFaults,
                pause,
                bounds,
                Optional.of(other));
    }

    /** The same snapshot with other ends of tasks. */
    public Snapshot with(RunBounds other) {
        return new Snapshot(
                at,
                waiting,
                fleet,
                usedGpuSeconds,
                cpuTasks,
                startingRuns,
                startFaults,
                pause,
                other,
                cluster);
    }
}

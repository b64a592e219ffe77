package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.TaskId;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.reserve.Reservation;

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
 * @param usedGpuSeconds GPU-seconds used by each principal, including what runs now, and by each
 *     group that the order of the queue compares
 * @param cpuTasks number of running tasks without a GPU
 * @param startingRuns file runs of which a task is still being started
 * @param startFaults what prevented the last start of single delayed tasks
 * @param pause why nothing may start now; empty if tasks may start
 * @param bounds the latest ends of tasks
 * @param loads what users run and used
 * @param reservations by id
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
        UserLoads loads,
        PersistentMap<Long, Reservation> reservations,
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
            RunBounds bounds,
            UserLoads loads,
            PersistentMap<Long, Reservation> reservations) {
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
                loads,
                reservations,
                Optional.empty());
    }

    public Snapshot {
        usedGpuSeconds =
                Collections.unmodifiableSortedMap(
                        new TreeMap<>(waiting.order().withGroupTotals(usedGpuSeconds)));
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
                RunBounds.UNKNOWN,
                UserLoads.NONE,
                PersistentMap.empty());
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
                loads,
                reservations,
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
                loads,
                reservations,
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
                loads,
                reservations,
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
                loads,
                reservations,
                cluster);
    }

    /** The same snapshot with other loads and reservations. */
    public Snapshot with(UserLoads otherLoads, PersistentMap<Long, Reservation> others) {
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
                otherLoads,
                others,
                cluster);
    }
}

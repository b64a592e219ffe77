package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.reserve.Reservation;

import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The complete input of a scheduling pass.
 *
 * @param usedGpuSeconds GPU-seconds used by each principal, including what runs now, and by each
 *     group that the order of the queue compares
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
        StartConditions starts,
        RunBounds bounds,
        UserLoads loads,
        PersistentMap<Long, Reservation> reservations,
        Optional<ClusterWindow> cluster) {

    public Snapshot {
        usedGpuSeconds =
                Collections.unmodifiableSortedMap(
                        new TreeMap<>(waiting.order().withGroupTotals(usedGpuSeconds)));
    }

    /** Nothing is known of the ends of tasks, and there are neither limits nor reservations. */
    public Snapshot(
            Instant at,
            WaitingTasks waiting,
            Fleet fleet,
            SortedMap<String, Double> used,
            StartConditions starts) {
        this(
                at,
                waiting,
                fleet,
                used,
                starts,
                RunBounds.UNKNOWN,
                UserLoads.NONE,
                PersistentMap.empty(),
                Optional.empty());
    }

    public double usedGpuSeconds(String principal) {
        return usedGpuSeconds.getOrDefault(principal, 0.0);
    }

    /** The same snapshot with other waiting tasks. */
    public Snapshot with(WaitingTasks other) {
        return new Snapshot(
                at, other, fleet, usedGpuSeconds, starts, bounds, loads, reservations, cluster);
    }

    /** The same snapshot with other ends of tasks. */
    public Snapshot with(RunBounds other) {
        return new Snapshot(
                at, waiting, fleet, usedGpuSeconds, starts, other, loads, reservations, cluster);
    }

    /** The same snapshot with other loads and reservations. */
    public Snapshot with(UserLoads otherLoads, PersistentMap<Long, Reservation> others) {
        return new Snapshot(
                at, waiting, fleet, usedGpuSeconds, starts, bounds, otherLoads, others, cluster);
    }

    /** The same snapshot without the pause. */
    public Snapshot unpaused() {
        return new Snapshot(
                at,
                waiting,
                fleet,
                usedGpuSeconds,
                starts.unpaused(),
                bounds,
                loads,
                reservations,
                cluster);
    }
}

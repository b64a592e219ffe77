package dev.berth.core.plan;

import dev.berth.core.line.Waiting;

import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Everything a pass may look at.
 *
 * @param used the GPU-seconds that each principal has had, what runs now included
 * @param cpuTasks how many run without a card
 * @param spacing runs whose last task is still being started
 * @param pause why nothing at all may start now, if so
 */
public record Snapshot(
        Instant at,
        Waiting waiting,
        Fleet fleet,
        SortedMap<String, Double> used,
        int cpuTasks,
        SortedSet<Long> spacing,
        Optional<WaitReason.Paused> pause) {

    public Snapshot {
        used = Collections.unmodifiableSortedMap(new TreeMap<>(used));
        spacing = Collections.unmodifiableSortedSet(new TreeSet<>(spacing));
    }

    /** Where no command file is being run. */
    public Snapshot(
            Instant at,
            Waiting waiting,
            Fleet fleet,
            SortedMap<String, Double> used,
            int cpuTasks,
            Optional<WaitReason.Paused> pause) {
        this(at, waiting, fleet, used, cpuTasks, Collections.emptySortedSet(), pause);
    }

    public double used(String principal) {
        return used.getOrDefault(principal, 0.0);
    }

    /** The same moment if nothing kept Berth from starting tasks. */
    public Snapshot unpaused() {
        return new Snapshot(at, waiting, fleet, used, cpuTasks, spacing, Optional.empty());
    }
}

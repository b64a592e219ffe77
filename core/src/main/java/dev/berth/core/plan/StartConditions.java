package dev.berth.core.plan;

import dev.berth.core.id.TaskId;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What decides about starts besides GPUs and users.
 *
 * @param cpuTasks number of running tasks without a GPU
 * @param startingRuns file runs of which a task is still being started
 * @param faults what prevented the last start of single delayed tasks
 * @param pause why nothing may start now; empty if tasks may start
 */
public record StartConditions(
        int cpuTasks,
        SortedSet<Long> startingRuns,
        SortedMap<TaskId, String> faults,
        Optional<WaitReason.Paused> pause) {

    /** Nothing runs, and tasks may start. */
    public static final StartConditions NONE = of(0, Optional.empty());

    public StartConditions {
        startingRuns = Collections.unmodifiableSortedSet(new TreeSet<>(startingRuns));
        faults = Collections.unmodifiableSortedMap(new TreeMap<>(faults));
    }

    /** Without file runs and faults. */
    public static StartConditions of(int cpuTasks, Optional<WaitReason.Paused> pause) {
        return new StartConditions(cpuTasks, new TreeSet<>(), new TreeMap<>(), pause);
    }

    StartConditions unpaused() {
        return new StartConditions(cpuTasks, startingRuns, faults, Optional.empty());
    }
}

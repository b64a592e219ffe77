package dev.berth.core.plan;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.queue.QueueId;
import dev.berth.core.task.Task;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The result of a scheduling pass.
 *
 * @param starts in scheduling order
 * @param blocked the waiting head of each queue, which keeps its turn
 * @param fleet the GPUs after all starts
 * @param cpuTasks number of running tasks without a GPU after all starts
 * @param reservations of each placing that found no GPUs: those of the tasks before it
 * @param startingRuns file runs of which a task is being started
 * @param unloading the workers that have to leave before a task can start
 * @param promise the start that safe backfill keeps for the first blocked head
 * @param limits what the limits of users leave
 */
public record Plan(
        List<Verdict.Start> starts,
        SortedMap<QueueId, Task> blocked,
        Fleet fleet,
        int cpuTasks,
        SortedMap<Placing, PersistentMap<GpuId, HeadReservation>> reservations,
        SortedSet<Long> startingRuns,
        SortedMap<TaskId, List<WarmWorker>> unloading,
        Optional<PromisedStart> promise,
        LimitUse limits) {

    public Plan {
        starts = List.copyOf(starts);
        blocked = Collections.unmodifiableSortedMap(new TreeMap<>(blocked));
        reservations = Collections.unmodifiableSortedMap(new TreeMap<>(reservations));
        unloading = Collections.unmodifiableSortedMap(new TreeMap<>(unloading));
        startingRuns = Collections.unmodifiableSortedSet(new TreeSet<>(startingRuns));
    }

    /** The GPUs as they were for this task: without the reservations of tasks behind it. */
    Fleet fleet(Task task) {
        var before = reservations.get(fleet.placing(task));
        return before == null ? fleet : fleet.with(before);
    }
}

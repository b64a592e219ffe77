package dev.berth.core.plan;

import dev.berth.core.line.LineId;
import dev.berth.core.task.Task;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a pass came to.
 *
 * @param starts in the order in which they were granted
 * @param blocked the first of each line that waits and keeps its turn
 * @param fleet the cards as they are when all of these have started
 * @param cpuTasks how many run without a card then
 * @param spacing runs of which a task is being started
 */
public record Plan(
        List<Verdict.Start> starts,
        SortedMap<LineId, Task> blocked,
        Fleet fleet,
        int cpuTasks,
        SortedSet<Long> spacing) {

    public Plan {
        starts = List.copyOf(starts);
        blocked = Collections.unmodifiableSortedMap(new TreeMap<>(blocked));
        spacing = Collections.unmodifiableSortedSet(new TreeSet<>(spacing));
    }
}

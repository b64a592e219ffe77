package dev.berth.core.queue;

import dev.berth.core.collect.KeyCounts;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.Task;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Makes the queues of many tasks at once, for the start of a server. The result is that of {@link
 * WaitingTasks#with} for each of them, without the maps in between.
 */
public final class WaitingTasksBuilder {

    private final WaitingTasks none;
    private final Map<TaskGroup, List<Task>> groups = new LinkedHashMap<>();
    private final List<Task> all = new ArrayList<>();

    public WaitingTasksBuilder(QueueOrder order) {
        this.none = WaitingTasks.none(order);
    }

    /** Whether the task goes straight into the queue of its group: not delayed, in no lane. */
    public static boolean takes(Task task) {
        return task.notBefore().isEmpty() && task.spec().options().lane().isEmpty();
    }

    /**
     * @param task with a higher id than those before it
     * @return the task; its equal parts are those of a task that waits already
     */
    public Task add(Task task) {
        if (!takes(task)) {
            throw new IllegalArgumentException("task " + task.id() + " is delayed or in a lane");
        }
        var group = groups.computeIfAbsent(none.group(task), _ -> new ArrayList<>());
        var shared = group.isEmpty() ? task : task.sharingGroup(group.getFirst());
        group.add(shared);
        all.add(shared);
        return shared;
    }

    public WaitingTasks build() {
        return new WaitingTasks(
                none.order(), queues(), none.lanes(), none.delayed(), counts(), waitStarts());
    }

    private PersistentMap<QueueId, PersistentMap<TaskGroup, PersistentMap<Rank, Task>>> queues() {
        var queues =
                PersistentMap.<QueueId, PersistentMap<TaskGroup, PersistentMap<Rank, Task>>>empty();
        for (var entry : groups.entrySet()) {
            var group = entry.getKey();
            var queue = queues.get(group.queue()).orElse(PersistentMap.empty());
            var tasks = PersistentMap.ofSorted(entry.getValue(), Rank::byAge);
            queues = queues.with(group.queue(), queue.with(group, tasks));
        }
        return queues;
    }

    private KeyCounts counts() {
        SortedMap<String, Integer> counts = new TreeMap<>();
        groups.forEach(
                (group, tasks) ->
                        counts.merge(group.owner().principal(), tasks.size(), Integer::sum));
        return KeyCounts.of(counts);
    }

    /** Mostly in the order of ids, but the clock may have been set back. */
    private WaitStarts waitStarts() {
        var sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparing(WaitStarts.WaitStart::of));
        return new WaitStarts(
                PersistentMap.ofSorted(sorted, WaitStarts.WaitStart::of), Instant.MIN);
    }
}

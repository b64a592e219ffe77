package dev.berth.core.why;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.GpuAssessment;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.queue.QueueId;
import dev.berth.core.queue.Rank;
import dev.berth.core.task.Task;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The tasks ahead of a waiting task: those that hold or keep GPUs it could use, and those before it
 * in its queue.
 *
 * @param first the first of them: the running ones by id, then the waiting ones in their order
 * @param total how many there are
 * @param people how many owners these tasks have
 */
public record Ahead(List<Task> first, int total, int people) {

    public static final int MAX = 20;

    public static final Ahead NONE = new Ahead(List.of(), 0, 0);

    public Ahead {
        first = List.copyOf(first);
    }

    /**
     * @param gpus all GPUs, with their refusals for this task
     * @param tasks all tasks that have not ended
     */
    static Ahead of(
            Snapshot snapshot,
            Task task,
            List<GpuAssessment> gpus,
            PersistentMap<TaskId, Task> tasks) {
        var holders = new TreeMap<TaskId, Task>();
        for (var id : holders(gpus)) {
            tasks.get(id).ifPresent(one -> holders.put(id, one));
        }
        var queue = QueueId.of(task);
        snapshot.waiting().lanes().running(queue).ifPresent(one -> holders.put(one.id(), one));
        holders.remove(task.id());
        var owners = new TreeSet<String>();
        holders.values().forEach(one -> owners.add(one.owner().principal()));
        var first = new LinkedHashMap<TaskId, Task>();
        holders.values().stream().limit(MAX).forEach(one -> first.put(one.id(), one));
        int before = snapshot.waiting().position(task, snapshot::usedGpuSeconds).orElse(0);
        // A task before it that keeps a GPU for itself is among the holders already.
        int counted =
                (int)
                        holders.values().stream()
                                .filter(one -> isBefore(snapshot, one, task))
                                .count();
        if (before > 0) {
            snapshot.waiting()
                    .inOrder(queue, snapshot::usedGpuSeconds)
                    .takeWhile(one -> !one.id().equals(task.id()))
                    .limit(MAX)
                    .takeWhile(_ -> first.size() < MAX)
                    .forEach(one -> first.put(one.id(), one));
            owners.addAll(ownersBefore(snapshot, task));
        }
        return new Ahead(
                List.copyOf(first.values()), holders.size() + before - counted, owners.size());
    }

    /** Tasks that hold, leave or keep a GPU that the task could use. */
    private static SortedSet<TaskId> holders(List<GpuAssessment> gpus) {
        var ids = new TreeSet<TaskId>();
        for (var gpu : gpus) {
            if (gpu.refusal().filter(Refusal::isPermanent).isPresent()) {
                continue;
            }
            gpu.view().holds().forEach(hold -> ids.add(hold.attempt().task()));
            gpu.refusal()
                    .filter(Refusal.ReservedFor.class::isInstance)
                    .map(Refusal.ReservedFor.class::cast)
                    .ifPresent(kept -> ids.add(kept.task()));
        }
        return ids;
    }

    private static boolean isBefore(Snapshot snapshot, Task one, Task task) {
        if (!QueueId.of(one).equals(QueueId.of(task))) {
            return false;
        }
        var waiting = snapshot.waiting();
        var position = waiting.position(one, snapshot::usedGpuSeconds);
        return position.isPresent()
                && position.getAsInt() < waiting.position(task, snapshot::usedGpuSeconds).orElse(0);
    }

    /** By groups: a queue may contain a hundred thousand tasks. */
    private static SortedSet<String> ownersBefore(Snapshot snapshot, Task task) {
        var owners = new TreeSet<String>();
        if (task.spec().options().lane().isPresent()) {
            // All tasks of a lane have one owner.
            owners.add(task.owner().principal());
            return owners;
        }
        var waiting = snapshot.waiting();
        var order = waiting.order();
        var rank = Rank.byAge(task);
        var precedence = order.precedence(waiting.group(task), snapshot::usedGpuSeconds);
        for (var entry : waiting.queue(QueueId.of(task))) {
            int compared =
                    order.precedence(entry.getKey(), snapshot::usedGpuSeconds)
                            .compareTo(precedence);
            if (compared < 0 || (compared == 0 && entry.getValue().rank(rank) > 0)) {
                owners.add(entry.getKey().owner().principal());
            }
        }
        return owners;
    }
}

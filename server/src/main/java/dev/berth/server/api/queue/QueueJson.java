package dev.berth.server.api.queue;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.forecast.Forecast;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.predict.Learned;
import dev.berth.core.queue.QueueId;
import dev.berth.core.queue.Rank;
import dev.berth.core.queue.TaskGroup;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.json.IsoTime;
import dev.berth.server.api.ExpectedTimesJson;
import dev.berth.server.api.RunPredictionJson;
import dev.berth.server.api.need.NeedJson;
import dev.berth.wire.QueueLine;
import dev.berth.wire.QueueTask;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Converts the queue to JSON. */
public record QueueJson(Snapshot snapshot, Forecast forecast, Learned learned) {

    private static final double WEIGHT = 1e12;
    private static final double MICROS = 1e6;

    /**
     * The lowest score starts first, as long as only priority and age decide. Computed in the same
     * steps as in the database view {@code task_queue}, so that both give the same number.
     */
    public static double score(Task task) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, task.createdAt());
        return task.spec().options().priority().ordinal() * WEIGHT + micros / MICROS;
    }

    /** The number of queued tasks for each priority. */
    public static Map<String, Integer> priorities(WaitingTasks waiting) {
        var all = none();
        for (var queue : waiting.queues()) {
            count(queue.getValue(), all);
        }
        for (var lane : waiting.lanes().queued()) {
            countTasks(lane.getValue(), all);
        }
        return all;
    }

    private static Map<String, Integer> none() {
        var counts = new LinkedHashMap<String, Integer>();
        for (var priority : Priority.values()) {
            counts.put(priority.name(), 0);
        }
        return counts;
    }

    private static void count(
            PersistentMap<TaskGroup, PersistentMap<Rank, Task>> queue,
            Map<String, Integer> counts) {
        for (var group : queue) {
            counts.merge(group.getKey().priority().name(), group.getValue().size(), Integer::sum);
        }
    }

    private static void countTasks(PersistentMap<TaskId, Task> lane, Map<String, Integer> counts) {
        lane.values()
                .forEach(
                        task ->
                                counts.merge(
                                        task.spec().options().priority().name(), 1, Integer::sum));
    }

    /** Every queue that is not empty, with its first tasks. */
    List<QueueLine> queues(int most) {
        var lines = new ArrayList<QueueLine>();
        for (var queue : snapshot.waiting().queues()) {
            var counts = none();
            count(queue.getValue(), counts);
            lines.add(
                    new QueueLine(
                            queue.getKey().name(),
                            kind(queue.getKey()),
                            WaitingTasks.size(queue.getValue()),
                            counts,
                            first(queue.getKey(), most)));
        }
        for (var lane : snapshot.waiting().lanes().queued()) {
            var counts = none();
            countTasks(lane.getValue(), counts);
            lines.add(
                    new QueueLine(
                            lane.getKey().name(),
                            kind(lane.getKey()),
                            lane.getValue().size(),
                            counts,
                            first(lane.getKey(), most)));
        }
        return lines;
    }

    /**
     * The tasks that wait in the queue of a cluster; empty if none does.
     *
     * @param handed oldest first
     */
    static Optional<QueueLine> inCluster(QueueJson words, List<Task> handed, int most) {
        if (handed.isEmpty()) {
            return Optional.empty();
        }
        var counts = none();
        handed.forEach(
                task -> counts.merge(task.spec().options().priority().name(), 1, Integer::sum));
        var tasks = new ArrayList<QueueTask>();
        handed.stream()
                .limit(most)
                .forEach(task -> tasks.add(words.task(task, QueueId.of(task), tasks.size())));
        return Optional.of(new QueueLine("slurm", "cluster", handed.size(), counts, tasks));
    }

    private static String kind(QueueId queue) {
        return queue.kind().name().toLowerCase(Locale.ROOT);
    }

    private List<QueueTask> first(QueueId queue, int most) {
        var tasks = new ArrayList<QueueTask>();
        snapshot.waiting()
                .inOrder(queue, snapshot::usedGpuSeconds)
                .limit(most)
                .forEach(task -> tasks.add(task(task, queue, tasks.size())));
        return tasks;
    }

    /** The first tasks of all queues, in the order in which a scheduling pass considers them. */
    List<QueueTask> peek(int most) {
        var tasks = new ArrayList<QueueTask>();
        var seen = new HashMap<QueueId, Integer>();
        snapshot.waiting()
                .inOrder(snapshot::usedGpuSeconds)
                .limit(most)
                .forEach(
                        task -> {
                            var queue = QueueId.of(task);
                            int place = seen.merge(queue, 1, Integer::sum) - 1;
                            tasks.add(task(task, queue, place));
                        });
        return tasks;
    }

    private QueueTask task(Task task, QueueId queue, int position) {
        var spec = task.spec();
        var need = NeedJson.of(spec.requirements().need());
        return new QueueTask(
                task.id().value(),
                spec.name(),
                task.owner().name(),
                spec.options().priority().name(),
                queue.name(),
                need.devices(),
                need.gpuType(),
                need.minGpu(),
                need.maxGpu(),
                need.memoryGb(),
                IsoTime.format(task.createdAt()),
                IsoTime.format(task.waitingSince()),
                waitSeconds(task, snapshot.at()),
                position,
                score(task),
                ExpectedTimesJson.of(task, forecast),
                RunPredictionJson.of(learned, task.owner(), task.spec()));
    }

    /** To the millisecond. */
    public static double waitSeconds(Task task, Instant now) {
        var wait = Duration.between(task.waitingSince(), now);
        return Math.max(0, wait.toMillis()) / 1000.0;
    }
}

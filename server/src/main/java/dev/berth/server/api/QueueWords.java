package dev.berth.server.api;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.line.Group;
import dev.berth.core.line.LineId;
import dev.berth.core.line.Rank;
import dev.berth.core.line.Waiting;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.wire.QueueLine;
import dev.berth.wire.QueueTask;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What waits, as it travels. */
record QueueWords(Snapshot snapshot) {

    private static final double WEIGHT = 1e12;
    private static final double MICROS = 1e6;

    /**
     * The lowest starts first, as long as nothing but urgency and age decides. By the same steps as
     * in the database's view {@code task_queue}, so that both come to the same number.
     */
    static double score(Task task) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, task.createdAt());
        return task.spec().priority().ordinal() * WEIGHT + micros / MICROS;
    }

    /** How many of all wait in each class. */
    Map<String, Integer> priorities() {
        var all = none();
        for (var line : snapshot.waiting().lines()) {
            count(line.getValue(), all);
        }
        for (var lane : snapshot.waiting().lanes().queued()) {
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
            PersistentMap<Group, PersistentMap<Rank, Task>> line, Map<String, Integer> counts) {
        for (var group : line) {
            counts.merge(group.getKey().priority().name(), group.getValue().size(), Integer::sum);
        }
    }

    private static void countTasks(PersistentMap<TaskId, Task> lane, Map<String, Integer> counts) {
        lane.values().forEach(task -> counts.merge(task.spec().priority().name(), 1, Integer::sum));
    }

    /** Every line in which somebody waits, with its first tasks. */
    List<QueueLine> lines(int most) {
        var lines = new ArrayList<QueueLine>();
        for (var line : snapshot.waiting().lines()) {
            var counts = none();
            count(line.getValue(), counts);
            lines.add(
                    new QueueLine(
                            line.getKey().name(),
                            Waiting.size(line.getValue()),
                            counts,
                            first(line.getKey(), most)));
        }
        for (var lane : snapshot.waiting().lanes().queued()) {
            var counts = none();
            countTasks(lane.getValue(), counts);
            lines.add(
                    new QueueLine(
                            lane.getKey().name(),
                            lane.getValue().size(),
                            counts,
                            first(lane.getKey(), most)));
        }
        return lines;
    }

    private List<QueueTask> first(LineId line, int most) {
        var tasks = new ArrayList<QueueTask>();
        snapshot.waiting()
                .inOrder(line, snapshot::used)
                .limit(most)
                .forEach(task -> tasks.add(task(task, line, tasks.size())));
        return tasks;
    }

    /** The first over all lines, in the order in which they are looked at. */
    List<QueueTask> peek(int most) {
        var tasks = new ArrayList<QueueTask>();
        var seen = new HashMap<LineId, Integer>();
        snapshot.waiting()
                .inOrder(snapshot::used)
                .limit(most)
                .forEach(
                        task -> {
                            var line = LineId.of(task);
                            int place = seen.merge(line, 1, Integer::sum) - 1;
                            tasks.add(task(task, line, place));
                        });
        return tasks;
    }

    private QueueTask task(Task task, LineId line, int position) {
        var spec = task.spec();
        var need = NeedWords.of(spec.need());
        return new QueueTask(
                task.id().value(),
                spec.name(),
                task.owner().name(),
                spec.priority().name(),
                line.name(),
                need.devices(),
                need.gpuType(),
                need.minGpu(),
                need.maxGpu(),
                need.memoryGb(),
                Times.text(task.createdAt()),
                Times.text(task.waitingSince()),
                waitSeconds(task),
                position,
                score(task));
    }

    /** To the millisecond. */
    double waitSeconds(Task task) {
        var wait = Duration.between(task.waitingSince(), snapshot.at());
        return Math.max(0, wait.toMillis()) / 1000.0;
    }
}

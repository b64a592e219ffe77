package dev.berth.cli.link;

import dev.berth.wire.ExperimentDone;
import dev.berth.wire.ExperimentRefused;
import dev.berth.wire.Queue;
import dev.berth.wire.QueueLine;
import dev.berth.wire.QueuePosition;
import dev.berth.wire.QueueTask;
import dev.berth.wire.Scheduler;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@link WireReader} does, for all that is about waiting and being started. */
public final class QueueReader {

    private QueueReader() {}

    public static Queue queue(@Nullable Object json) {
        Fields queue = Fields.of(json);
        List<QueueLine> lines = new ArrayList<>();
        for (Fields line : queue.objects("lines")) {
            lines.add(line(line));
        }
        return new Queue(
                queue.number("queued"),
                queue.number("running"),
                queue.number("pending"),
                queue.isTrue("scheduler_running"),
                WireReader.reasonOrNull(queue, "paused"),
                queue.decimalOrNull("longest_wait_seconds"),
                queue.longOrNull("longest_wait_task_id"),
                queue.longNumber("wait_warn_seconds"),
                queue.number("waiting_too_long"),
                queue.text("priority_algorithm"),
                queue.text("gpu_selector"),
                counts(queue.object("priorities")),
                lines);
    }

    private static QueueLine line(Fields line) {
        List<QueueTask> tasks = new ArrayList<>();
        for (Fields task : line.objects("tasks")) {
            tasks.add(task(task));
        }
        return new QueueLine(
                line.text("device"),
                line.number("count"),
                counts(line.object("priorities")),
                tasks);
    }

    private static QueueTask task(Fields task) {
        return new QueueTask(
                task.longNumber("id"),
                task.text("name"),
                task.text("owner"),
                task.text("priority"),
                task.text("line"),
                task.text("devices"),
                task.textOrNull("gpu_type"),
                task.number("gpu_count"),
                task.number("max_gpu"),
                task.decimalOrNull("memory_gb"),
                task.text("created_at"),
                task.text("queued_at"),
                task.decimal("wait_seconds"),
                task.number("position"),
                task.decimal("score"));
    }

    private static Map<String, Integer> counts(Fields counts) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        for (String name : counts.names()) {
            numbers.put(name, counts.number(name));
        }
        return numbers;
    }

    public static QueuePosition position(@Nullable Object json) {
        Fields position = Fields.of(json);
        return new QueuePosition(
                position.longNumber("task_id"),
                position.textOrNull("line"),
                position.numberOrNull("position"));
    }

    public static Scheduler scheduler(@Nullable Object json) {
        Fields scheduler = Fields.of(json);
        return new Scheduler(
                scheduler.isTrue("running"),
                scheduler.isTrue("changed"),
                scheduler.textOrNull("since"),
                scheduler.textOrNull("by"));
    }

    public static ExperimentDone done(@Nullable Object json) {
        Fields done = Fields.of(json);
        Fields experiment = done.object("experiment");
        return new ExperimentDone(
                done.isTrue("success"),
                done.text("message"),
                new ExperimentDone.Experiment(
                        experiment.longNumber("id"), experiment.text("status")));
    }

    public static ExperimentRefused refused(@Nullable Object json) {
        Fields refused = Fields.of(json);
        return new ExperimentRefused(
                refused.isTrue("success"),
                refused.text("message"),
                refused.text("detail"),
                refused.text("code"),
                refused.textOrNull("field"),
                refused.textMap("params"),
                WireReader.reasons(refused.objects("reasons")));
    }
}

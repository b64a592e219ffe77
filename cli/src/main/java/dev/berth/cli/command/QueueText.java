package dev.berth.cli.command;

import dev.berth.cli.text.Age;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Paint;
import dev.berth.cli.text.Table;
import dev.berth.cli.text.Table.Cell;
import dev.berth.cli.text.Table.Kind;
import dev.berth.wire.Queue;
import dev.berth.wire.QueueLine;
import dev.berth.wire.QueueTask;
import dev.berth.wire.Reason;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The queue for people: how things stand, then a table for each line. */
final class QueueText {

    private final Queue queue;
    private final StringBuilder text = new StringBuilder();

    QueueText(Queue queue) {
        this.queue = queue;
    }

    /** The lines, each ended; {@code width} 0 means that there is no limit. */
    String render(int width, boolean colours) {
        text.append(counts(queue)).append('\n');
        String wait = longestWait(queue);
        if (!wait.isEmpty()) {
            Paint paint = queue.waitingTooLong() > 0 ? Paint.YELLOW : Paint.PLAIN;
            text.append(paint.on(wait, colours)).append('\n');
        }
        boolean starts = queue.schedulerRunning() && queue.paused() == null;
        Paint paint = starts ? Paint.PLAIN : Paint.YELLOW;
        text.append(paint.on("scheduler " + scheduler(queue), colours)).append('\n');
        for (QueueLine line : queue.lines()) {
            if (line.count() > 0) {
                text.append('\n').append(Paint.BOLD.on(title(line), colours)).append('\n');
                text.append(table(line.tasks()).render(width, colours));
                int more = line.count() - line.tasks().size();
                text.append(more > 0 ? "… and " + more + " more\n" : "");
            }
        }
        return text.toString();
    }

    /** {@code 3 queued (1 HIGH, 2 NORMAL), 1 running, 2 pending}. */
    static String counts(Queue queue) {
        return (queue.queued() == 0
                        ? "nothing waits"
                        : queue.queued() + " queued" + classes(queue.priorities()))
                + ", "
                + queue.running()
                + " running"
                + (queue.pending() == 0 ? "" : ", " + queue.pending() + " pending");
    }

    /** Empty where nobody waits. */
    static String longestWait(Queue queue) {
        Double seconds = queue.longestWaitSeconds();
        if (seconds == null) {
            return "";
        }
        Long task = queue.longestWaitTaskId();
        int late = queue.waitingTooLong();
        return "longest wait "
                + Age.brief(seconds.longValue())
                + (task == null ? "" : " (task " + task + ")")
                + (late == 0
                        ? ""
                        : ", " + late + " longer than " + Age.exact(queue.waitWarnSeconds()));
    }

    /** What it does, or why it does not. */
    static String scheduler(Queue queue) {
        Reason paused = queue.paused();
        if (paused != null) {
            String state = queue.schedulerRunning() ? "paused" : "stopped";
            return Clean.line(state + ": " + paused.detail());
        }
        String order = queue.priorityAlgorithm();
        return Clean.line(
                (queue.schedulerRunning() ? "running" : "stopped")
                        + (order.isEmpty() ? "" : ", order " + order)
                        + (order.isEmpty() ? "" : ", cards by " + queue.gpuSelector()));
    }

    private static String title(QueueLine line) {
        String cards = TaskTable.named(line.device());
        return Clean.line(cards.isEmpty() ? line.device() : "GPU " + cards)
                + ": "
                + line.count()
                + " queued"
                + classes(line.priorities());
    }

    private static String classes(Map<String, Integer> priorities) {
        StringBuilder classes = new StringBuilder();
        for (Map.Entry<String, Integer> one : priorities.entrySet()) {
            if (one.getValue() > 0) {
                classes.append(classes.isEmpty() ? " (" : ", ");
                classes.append(one.getValue()).append(' ').append(Clean.line(one.getKey()));
            }
        }
        return classes.isEmpty() ? "" : classes.append(')').toString();
    }

    private static Table table(List<QueueTask> tasks) {
        Table table = new Table();
        table.add("AHEAD", Kind.RIGHT, column(tasks, task -> Integer.toString(task.position())));
        table.add("ID", Kind.RIGHT, column(tasks, task -> Long.toString(task.id())));
        table.add("NAME", Kind.SHRINKS, column(tasks, QueueTask::name));
        table.add("OWNER", Kind.LEFT, column(tasks, QueueTask::owner));
        table.add("PRIORITY", Kind.LEFT, column(tasks, QueueTask::priority));
        table.add("GPUS", Kind.RIGHT, column(tasks, QueueText::gpus));
        table.add("TYPE", Kind.LEFT, column(tasks, QueueText::type));
        table.add("MEMORY", Kind.RIGHT, column(tasks, task -> TaskTable.memory(task.memoryGb())));
        table.add("WAITS", Kind.RIGHT, column(tasks, task -> Age.brief((long) task.waitSeconds())));
        return table;
    }

    private static List<Cell> column(List<QueueTask> tasks, Function<QueueTask, String> text) {
        List<Cell> cells = new ArrayList<>(tasks.size());
        for (QueueTask task : tasks) {
            cells.add(Cell.of(text.apply(task)));
        }
        return cells;
    }

    private static String gpus(QueueTask task) {
        return TaskTable.gpus(task.devices(), task.gpuCount(), task.maxGpu());
    }

    private static String type(QueueTask task) {
        String type = task.gpuType();
        return type == null ? "" : type;
    }
}

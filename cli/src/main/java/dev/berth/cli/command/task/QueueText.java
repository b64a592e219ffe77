package dev.berth.cli.command.task;

import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.wire.Queue;
import dev.berth.wire.QueueLine;
import dev.berth.wire.QueueTask;
import dev.berth.wire.Reason;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The queue as text: a summary, then one table for each queue. */
public final class QueueText {

    /** The run time of a task before it is not known. */
    private static final String UNKNOWN = "?";

    private final Queue queue;
    private final long now;
    private final StringBuilder text = new StringBuilder();

    /**
     * @param now in seconds since 1970
     */
    QueueText(Queue queue, long now) {
        this.queue = queue;
        this.now = now;
    }

    /** The lines, each with a line end; {@code width} 0 means no limit. */
    String render(int width, boolean colours) {
        text.append(counts(queue)).append('\n');
        String wait = longestWait(queue);
        if (!wait.isEmpty()) {
            TextStyle paint = queue.waitingTooLong() > 0 ? TextStyle.YELLOW : TextStyle.PLAIN;
            text.append(paint.apply(wait, colours)).append('\n');
        }
        boolean isStarting = queue.schedulerRunning() && queue.paused() == null;
        TextStyle paint = isStarting ? TextStyle.PLAIN : TextStyle.YELLOW;
        text.append(paint.apply("scheduler " + scheduler(queue), colours)).append('\n');
        for (QueueLine line : queue.lines()) {
            if (line.count() > 0) {
                text.append('\n').append(TextStyle.BOLD.apply(title(line), colours)).append('\n');
                text.append(table(line.tasks()).render(width, colours));
                int more = line.count() - line.tasks().size();
                text.append(more > 0 ? "… and " + more + " more\n" : "");
                text.append(unknownStart(line.tasks()));
            }
        }
        return text.toString();
    }

    /** {@code 3 queued (1 HIGH, 2 NORMAL), 1 running, 2 pending}. */
    public static String counts(Queue queue) {
        return (queue.queued() == 0
                        ? "nothing waits"
                        : queue.queued() + " queued" + classes(queue.priorities()))
                + ", "
                + queue.running()
                + " running"
                + (queue.pending() == 0 ? "" : ", " + queue.pending() + " pending");
    }

    /** Empty if no task waits. */
    public static String longestWait(Queue queue) {
        Double seconds = queue.longestWaitSeconds();
        if (seconds == null) {
            return "";
        }
        Long task = queue.longestWaitTaskId();
        int overdue = queue.waitingTooLong();
        return "longest wait "
                + DurationText.brief(seconds.longValue())
                + (task == null ? "" : " (task " + task + ")")
                + (overdue == 0
                        ? ""
                        : ", "
                                + overdue
                                + " longer than "
                                + DurationText.exact(queue.waitWarnSeconds()));
    }

    /** The state of the scheduler, and the reason if it does not start tasks. */
    public static String scheduler(Queue queue) {
        Reason paused = queue.paused();
        if (paused != null) {
            String state = queue.schedulerRunning() ? "paused" : "stopped";
            return SafeText.line(state + ": " + paused.detail());
        }
        String order = queue.priorityAlgorithm();
        return SafeText.line(
                (queue.schedulerRunning() ? "running" : "stopped")
                        + (order.isEmpty() ? "" : ", order " + order)
                        + (order.isEmpty() ? "" : ", GPUs by " + queue.gpuSelector()));
    }

    private static String name(QueueLine line) {
        if (line.kind().equals("lane")) {
            return "lane " + line.device();
        }
        if (line.kind().equals("cluster")) {
            return "in Slurm";
        }
        String gpus = TaskTable.selectedGpus(line.device());
        return gpus.isEmpty() ? line.device() : "GPU " + gpus;
    }

    private static String title(QueueLine line) {
        return SafeText.line(name(line))
                + ": "
                + line.count()
                + " queued"
                + classes(line.priorities());
    }

    private static String classes(Map<String, Integer> priorities) {
        StringBuilder classes = new StringBuilder();
        for (Map.Entry<String, Integer> entry : priorities.entrySet()) {
            if (entry.getValue() > 0) {
                classes.append(classes.isEmpty() ? " (" : ", ");
                classes.append(entry.getValue()).append(' ').append(SafeText.line(entry.getKey()));
            }
        }
        return classes.isEmpty() ? "" : classes.append(')').toString();
    }

    private TextTable table(List<QueueTask> tasks) {
        TextTable table = new TextTable();
        table.add(
                "AHEAD",
                ColumnKind.RIGHT,
                column(tasks, task -> Integer.toString(task.position())));
        table.add("ID", ColumnKind.RIGHT, column(tasks, task -> Long.toString(task.id())));
        table.add("NAME", ColumnKind.NAME, column(tasks, QueueTask::name));
        table.add("OWNER", ColumnKind.LEFT, column(tasks, QueueTask::owner));
        table.add("PRIORITY", ColumnKind.LEFT, column(tasks, QueueTask::priority));
        table.add("GPUS", ColumnKind.RIGHT, column(tasks, QueueText::gpus));
        table.add("TYPE", ColumnKind.LEFT, column(tasks, QueueText::type));
        table.add(
                "MEMORY",
                ColumnKind.RIGHT,
                column(tasks, task -> TaskTable.memory(task.memoryGb())));
        table.add(
                "WAITS",
                ColumnKind.RIGHT,
                column(tasks, task -> DurationText.brief((long) task.waitSeconds())));
        table.add("STARTS IN", ColumnKind.RIGHT, column(tasks, this::start));
        return table;
    }

    private static List<Cell> column(List<QueueTask> tasks, Function<QueueTask, String> text) {
        List<Cell> cells = new ArrayList<>(tasks.size());
        for (QueueTask task : tasks) {
            cells.add(Cell.of(text.apply(task)));
        }
        return cells;
    }

    private String start(QueueTask task) {
        String start = ExpectedText.range(task.expected().eta(), task.expected().etaLatest(), now);
        return start.isEmpty() ? UNKNOWN : start;
    }

    /** Why the first unknown start is unknown: mostly it is the same for those behind it. */
    private static String unknownStart(List<QueueTask> tasks) {
        for (QueueTask task : tasks) {
            Reason reason = task.expected().etaReason();
            if (reason != null) {
                String line =
                        "the start of task " + task.id() + " is not known: " + reason.detail();
                return SafeText.line(line) + '\n';
            }
        }
        return "";
    }

    private static String gpus(QueueTask task) {
        return TaskTable.gpus(task.devices(), task.gpuCount(), task.maxGpu());
    }

    private static String type(QueueTask task) {
        String type = task.gpuType();
        return type == null ? "" : type;
    }
}

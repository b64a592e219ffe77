package dev.berth.cli.command;

import dev.berth.cli.text.Age;
import dev.berth.cli.text.Moment;
import dev.berth.cli.text.Paint;
import dev.berth.cli.text.Table;
import dev.berth.cli.text.Table.Cell;
import dev.berth.cli.text.Table.Kind;
import dev.berth.wire.TaskSummary;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/** Tasks in lines. What is as usual leaves its cell empty, and a column of those is not there. */
final class TaskTable {

    private final List<TaskSummary> tasks;
    private final long now;
    private final boolean oneOwner;
    private final Table table = new Table();

    /**
     * @param now in seconds since 1970
     */
    TaskTable(List<TaskSummary> tasks, long now) {
        this.tasks = tasks;
        this.now = now;
        this.oneOwner = isOneOwner(tasks);
    }

    Table table() {
        add("ID", Kind.RIGHT, task -> Long.toString(task.id()));
        add("NAME", Kind.SHRINKS, TaskSummary::name);
        status();
        add("PRIORITY", Kind.LEFT, task -> unlessUsual(task.priority(), "NORMAL"));
        add("OWNER", Kind.LEFT, task -> oneOwner ? "" : task.owner());
        add("GPUS", Kind.RIGHT, TaskTable::gpus);
        add("DEVICE", Kind.LEFT, task -> named(task.devices()));
        add("ON", Kind.LEFT, TaskTable::cards);
        add("TYPE", Kind.LEFT, task -> orEmpty(task.gpuType()));
        add("MEMORY", Kind.RIGHT, task -> memory(task.memoryGb()));
        add("LANE", Kind.LEFT, task -> orEmpty(task.lane()));
        add("SHARE", Kind.LEFT, task -> task.share() ? "yes" : "");
        add("LIMIT", Kind.RIGHT, TaskTable::limit);
        add("AGE", Kind.RIGHT, task -> since(task.createdAt()));
        add("QUEUED", Kind.RIGHT, this::queued);
        add("RAN", Kind.RIGHT, this::ran);
        add("TRIES", Kind.RIGHT, task -> tries(task.retryCount()));
        add("RESTS", Kind.RIGHT, this::rests);
        add("EXIT", Kind.RIGHT, TaskTable::exit);
        add("ERROR", Kind.SHRINKS, TaskTable::error);
        return table;
    }

    private void add(String header, Kind kind, Function<TaskSummary, String> text) {
        List<Cell> cells = new ArrayList<>(tasks.size());
        for (TaskSummary task : tasks) {
            cells.add(Cell.of(text.apply(task)));
        }
        table.add(header, kind, cells);
    }

    private void status() {
        List<Cell> cells = new ArrayList<>(tasks.size());
        for (TaskSummary task : tasks) {
            cells.add(new Cell(status(task.status(), task.phase()), Paint.ofStatus(task.status())));
        }
        table.add("STATUS", Kind.LEFT, cells);
    }

    /** A running task's phase says more when it is not simply running. */
    static String status(String status, String phase) {
        boolean more = status.equals("running") && !phase.isEmpty() && !phase.equals("running");
        return more ? status + " (" + phase + ")" : status;
    }

    /** {@code 20G}, {@code 1.5G}. */
    static String memory(@Nullable Double gigabytes) {
        if (gigabytes == null) {
            return "";
        }
        long tenths = Math.round(gigabytes * 10);
        return tenths % 10 == 0 ? tenths / 10 + "G" : tenths / 10 + "." + tenths % 10 + "G";
    }

    static String list(@Nullable List<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        for (Integer number : numbers == null ? List.<Integer>of() : numbers) {
            text.append(text.isEmpty() ? "" : ",").append(number);
        }
        return text.toString();
    }

    /** {@code 2}, {@code 2-4} or {@code cpu}. */
    static String gpus(String devices, int least, int most) {
        if (devices.equals("cpu")) {
            return "cpu";
        }
        return most > least ? least + "-" + most : Integer.toString(least);
    }

    /** The cards that are meant by number, or nothing. */
    static String named(String devices) {
        return devices.equals("auto") || devices.equals("cpu") ? "" : devices;
    }

    private static String limit(TaskSummary task) {
        Integer seconds = task.timeoutSeconds();
        return seconds == null ? "" : Age.exact(seconds);
    }

    /** Only of what was a draft before; the others wait as long as they are there. */
    private String queued(TaskSummary task) {
        boolean later = !task.createdAt().equals(task.queuedAt());
        return later && task.status().equals("queued") ? since(task.queuedAt()) : "";
    }

    private static String gpus(TaskSummary task) {
        return gpus(task.devices(), task.gpuCount(), task.maxGpu());
    }

    private static String cards(TaskSummary task) {
        return task.status().equals("running") ? list(task.assignedGpus()) : "";
    }

    private static String exit(TaskSummary task) {
        Integer code = task.exitCode();
        return code == null || code == 0 ? "" : code.toString();
    }

    /** An exit code has its own column. */
    private static String error(TaskSummary task) {
        String error = orEmpty(task.error());
        return error.startsWith("exit code ") ? "" : error;
    }

    /** How much longer, before it is tried again. */
    private String rests(TaskSummary task) {
        OptionalLong end = Moment.epochSecond(task.backoffUntil());
        return end.isEmpty() || end.getAsLong() <= now ? "" : Age.brief(end.getAsLong() - now);
    }

    private static String tries(int retries) {
        return retries == 0 ? "" : Integer.toString(retries + 1);
    }

    private static String unlessUsual(String text, String usual) {
        return text.equals(usual) ? "" : text;
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private String since(@Nullable String moment) {
        OptionalLong then = Moment.epochSecond(moment);
        return then.isEmpty() ? "" : Age.brief(now - then.getAsLong());
    }

    private String ran(TaskSummary task) {
        OptionalLong start = Moment.epochSecond(task.startedAt());
        if (start.isEmpty()) {
            return "";
        }
        long end = Moment.epochSecond(task.finishedAt()).orElse(now);
        return Age.brief(end - start.getAsLong());
    }

    private static boolean isOneOwner(List<TaskSummary> tasks) {
        for (TaskSummary task : tasks) {
            if (!task.owner().equals(tasks.getFirst().owner())) {
                return false;
            }
        }
        return true;
    }
}

package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.ExpectedTimes;
import dev.berth.wire.TaskSummary;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Tasks as a table. A default value leaves its cell empty, and a column with empty cells only is
 * omitted.
 */
public final class TaskTable {

    /** Without these a narrow terminal still shows which tasks there are and how they are. */
    private static final List<String> OMISSIBLE =
            List.of(
                    "ENDS IN",
                    "STARTS IN",
                    "SHARE",
                    "RETRY",
                    "TRIES",
                    "QUEUED",
                    "LIMIT",
                    "DEVICE",
                    "TYPE",
                    "MEMORY",
                    "LANE",
                    "PRIORITY",
                    "OWNER",
                    "AGE",
                    "ERROR",
                    "ON",
                    "EXIT",
                    "GPUS");

    private final List<TaskSummary> tasks;
    private final long now;
    private final String soleOwner;
    private final TextTable table = new TextTable();

    /**
     * @param now in seconds since 1970
     */
    TaskTable(List<TaskSummary> tasks, CallContext context, long now) {
        this(tasks, now, soleOwner(tasks, context));
    }

    /**
     * @param soleOwner the owner whose name is not shown, or empty
     */
    TaskTable(List<TaskSummary> tasks, long now, String soleOwner) {
        this.tasks = tasks;
        this.now = now;
        this.soleOwner = soleOwner;
    }

    TextTable table() {
        add("ID", ColumnKind.RIGHT, task -> Long.toString(task.id()));
        add("NAME", ColumnKind.NAME, TaskSummary::name);
        status();
        add("PRIORITY", ColumnKind.LEFT, task -> unlessDefault(task.header().priority(), "NORMAL"));
        add("OWNER", ColumnKind.LEFT, this::owner);
        add("GPUS", ColumnKind.RIGHT, TaskTable::gpus);
        add("DEVICE", ColumnKind.LEFT, task -> selectedGpus(task.header().devices()));
        add("ON", ColumnKind.LEFT, TaskTable::assignedGpus);
        add("TYPE", ColumnKind.LEFT, task -> orEmpty(task.gpuRequest().gpuType()));
        add("MEMORY", ColumnKind.RIGHT, task -> memory(task.gpuLimits().memoryGb()));
        add("LANE", ColumnKind.LEFT, task -> orEmpty(task.lane().lane()));
        add("SHARE", ColumnKind.LEFT, task -> task.gpuLimits().share() ? "yes" : "");
        add("LIMIT", ColumnKind.RIGHT, TaskTable::limit);
        add("AGE", ColumnKind.RIGHT, task -> since(task.times().createdAt()));
        add("QUEUED", ColumnKind.RIGHT, this::queued);
        add("RAN", ColumnKind.RIGHT, this::ran);
        add("STARTS IN", ColumnKind.RIGHT, this::start);
        add("ENDS IN", ColumnKind.RIGHT, this::end);
        add("TRIES", ColumnKind.RIGHT, task -> tries(task.lane().retryCount()));
        add("RETRY", ColumnKind.RIGHT, this::backoff);
        add("EXIT", ColumnKind.RIGHT, TaskTable::exit);
        add("ERROR", ColumnKind.SHRINKABLE, TaskTable::error);
        table.mayOmit(OMISSIBLE);
        return table;
    }

    private void add(String header, ColumnKind kind, Function<TaskSummary, String> text) {
        List<Cell> cells = new ArrayList<>(tasks.size());
        for (TaskSummary task : tasks) {
            cells.add(Cell.of(text.apply(task)));
        }
        table.add(header, kind, cells);
    }

    private void status() {
        List<Cell> cells = new ArrayList<>(tasks.size());
        for (TaskSummary task : tasks) {
            cells.add(
                    new Cell(
                            status(task.header().status(), task.header().phase()),
                            TextStyle.ofStatus(task.header().status())));
        }
        table.add("STATUS", ColumnKind.LEFT, cells);
    }

    /** Adds the phase of a running task if the phase is not simply running. */
    static String status(String status, String phase) {
        boolean isOtherPhase =
                status.equals("running") && !phase.isEmpty() && !phase.equals("running");
        return isOtherPhase ? status + " (" + phase + ")" : status;
    }

    /** {@code 20G}, {@code 1.5G}. */
    static String memory(@Nullable Double gigabytes) {
        if (gigabytes == null) {
            return "";
        }
        long tenths = Math.round(gigabytes * 10);
        return tenths % 10 == 0 ? tenths / 10 + "G" : tenths / 10 + "." + tenths % 10 + "G";
    }

    public static String joinNumbers(@Nullable List<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        for (Integer number : numbers == null ? List.<Integer>of() : numbers) {
            text.append(text.isEmpty() ? "" : ",").append(number);
        }
        return text.toString();
    }

    /** {@code 2}, {@code 2-4} or {@code cpu}. */
    static String gpus(String devices, int min, int max) {
        if (devices.equals("cpu")) {
            return "cpu";
        }
        return max > min ? min + "-" + max : Integer.toString(min);
    }

    /** The GPUs selected by number, or empty. */
    static String selectedGpus(String devices) {
        return devices.equals("auto") || devices.equals("cpu") ? "" : devices;
    }

    private static String limit(TaskSummary task) {
        Integer seconds = task.timeoutSeconds();
        return seconds == null ? "" : DurationText.exact(seconds);
    }

    /** Only for a former draft; all other tasks wait since their creation. */
    private String queued(TaskSummary task) {
        boolean wasDraft = !task.times().createdAt().equals(task.times().queuedAt());
        return wasDraft && task.header().status().equals("queued")
                ? since(task.times().queuedAt())
                : "";
    }

    private static String gpus(TaskSummary task) {
        return gpus(
                task.header().devices(), task.gpuRequest().gpuCount(), task.gpuLimits().maxGpu());
    }

    private static String assignedGpus(TaskSummary task) {
        return task.header().status().equals("running") ? joinNumbers(task.assignedGpus()) : "";
    }

    private static String exit(TaskSummary task) {
        Integer code = task.result().exitCode();
        return code == null || code == 0 ? "" : code.toString();
    }

    /** The exit code has its own column. */
    private static String error(TaskSummary task) {
        String error = orEmpty(task.result().error());
        return error.startsWith("exit code ") ? "" : error;
    }

    /** The time until the next retry. */
    private String backoff(TaskSummary task) {
        OptionalLong end = TimestampText.parseEpochSecond(task.lane().backoffUntil());
        return end.isEmpty() || end.getAsLong() <= now
                ? ""
                : DurationText.ahead(end.getAsLong() - now);
    }

    private String start(TaskSummary task) {
        ExpectedTimes expected = task.times().expected();
        return ExpectedText.range(expected.eta(), expected.etaLatest(), now);
    }

    /** Only of a running task: the end of a waiting one is too uncertain for a list. */
    private String end(TaskSummary task) {
        ExpectedTimes expected = task.times().expected();
        return task.header().status().equals("running")
                ? ExpectedText.range(expected.expectedEnd(), expected.expectedEndLatest(), now)
                : "";
    }

    private static String tries(int retries) {
        return retries == 0 ? "" : Integer.toString(retries + 1);
    }

    private static String unlessDefault(String text, String defaultText) {
        return text.equals(defaultText) ? "" : text;
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private String since(@Nullable String moment) {
        OptionalLong time = TimestampText.parseEpochSecond(moment);
        return time.isEmpty() ? "" : DurationText.brief(now - time.getAsLong());
    }

    private String ran(TaskSummary task) {
        OptionalLong start = TimestampText.parseEpochSecond(task.times().startedAt());
        if (start.isEmpty()) {
            return "";
        }
        long end = TimestampText.parseEpochSecond(task.times().finishedAt()).orElse(now);
        return DurationText.brief(end - start.getAsLong());
    }

    private String owner(TaskSummary task) {
        String owner = task.header().owner();
        return owner.equals(soleOwner) ? "" : owner;
    }

    /**
     * The owner of all these tasks, or empty if there are several, or another one than the caller.
     */
    static String soleOwner(List<TaskSummary> tasks, CallContext context) {
        String owner = tasks.isEmpty() ? "" : tasks.getFirst().header().owner();
        for (TaskSummary task : tasks) {
            if (!task.header().owner().equals(owner)) {
                return "";
            }
        }
        return context.env().getOrDefault("USER", owner).equals(owner) ? owner : "";
    }
}

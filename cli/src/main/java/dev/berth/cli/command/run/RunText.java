package dev.berth.cli.command.run;

import dev.berth.cli.command.task.TaskTable;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.SafeText;
import dev.berth.cli.text.TextStyle;
import dev.berth.cli.text.TextTable;
import dev.berth.cli.text.TextTable.Cell;
import dev.berth.cli.text.TextTable.ColumnKind;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.LaneState;
import dev.berth.wire.ProcessState;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A run as text: one line for the run, one for each lane. */
final class RunText {

    private static final String INDENT = "  ";

    private final RunState run;
    private final long now;

    /**
     * @param now in seconds since 1970
     */
    RunText(RunState run, long now) {
        this.run = run;
        this.now = now;
    }

    static boolean isOver(RunState run) {
        return run.status().equals("finished") || run.status().equals("stopped");
    }

    /** {@code RunCommand 3 running for 12m 2 of 5 completed, 1 running single command.txt}. */
    String headline(boolean colours) {
        return TextStyle.BOLD.apply("Run " + run.pid(), colours)
                + INDENT
                + paint(run.status()).apply(SafeText.line(run.status()), colours)
                + age()
                + INDENT
                + counts(run)
                + INDENT
                + SafeText.line(run.mode())
                + INDENT
                + SafeText.line(run.commandFile());
    }

    /** {@code 2 of 5 completed, 1 running, 2 pending}. */
    static String counts(RunState run) {
        StringBuilder text = new StringBuilder();
        text.append(run.completed()).append(" of ").append(run.total()).append(" completed");
        count(run.running(), "running", text);
        count(run.pending(), "pending", text);
        count(run.failed(), "failed", text);
        count(run.cancelled(), "cancelled", text);
        return text.toString();
    }

    private static void count(int number, String word, StringBuilder text) {
        if (number > 0) {
            text.append(", ").append(number).append(' ').append(word);
        }
    }

    /** Why no task of the run can start, or empty. */
    String reason() {
        String reason = run.reason();
        return reason == null || reason.isEmpty()
                ? ""
                : INDENT + "no task of it can start: " + SafeText.line(reason);
    }

    /**
     * One line for each lane, without line ends.
     *
     * @param maxLanes the limit; if there are more lanes, active lanes come first and the rest is
     *     counted
     */
    List<String> lanes(int maxLanes, int width, boolean colours) {
        List<Map.Entry<String, LaneState>> shown = new ArrayList<>(run.queues().entrySet());
        int hidden = shown.size() - maxLanes;
        if (hidden > 0) {
            // The sort is stable: lanes of equal rank keep the order of the file.
            shown.sort((lane, other) -> rank(lane.getValue()) - rank(other.getValue()));
            shown = shown.subList(0, maxLanes);
        }
        List<String> lines = new ArrayList<>();
        if (!shown.isEmpty()) {
            String[] rows = table(shown).render(width, colours).split("\n");
            for (int row = 1; row < rows.length; row++) {
                lines.add(rows[row]);
            }
        }
        if (hidden > 0) {
            lines.add(INDENT + "… and " + hidden + " more lanes");
        }
        return lines;
    }

    private TextTable table(List<Map.Entry<String, LaneState>> lanes) {
        List<Cell> names = new ArrayList<>();
        List<Cell> states = new ArrayList<>();
        List<Cell> done = new ArrayList<>();
        List<Cell> activity = new ArrayList<>();
        for (Map.Entry<String, LaneState> entry : lanes) {
            LaneState lane = entry.getValue();
            names.add(Cell.of(INDENT + "lane " + entry.getKey()));
            states.add(new Cell(lane.status(), paint(lane.status())));
            done.add(Cell.of(lane.completed() + "/" + lane.total()));
            activity.add(Cell.of(activity(lane)));
        }
        TextTable table = new TextTable();
        table.add("", ColumnKind.LEFT, names);
        table.add("", ColumnKind.LEFT, states);
        table.add("", ColumnKind.RIGHT, done);
        table.add("", ColumnKind.SHRINKABLE, activity);
        return table;
    }

    private String activity(LaneState lane) {
        return switch (lane.status()) {
            case "busy" -> runningText(lane);
            case "backoff" -> backoffText(lane);
            case "idle" -> nextTask(lane) == null ? "" : "task " + nextTask(lane) + " waits";
            default -> "";
        };
    }

    private static String runningText(LaneState lane) {
        Long current = lane.current();
        String gpus = TaskTable.joinNumbers(lane.gpus());
        return (current == null ? "" : "task " + current) + (gpus.isEmpty() ? "" : " on " + gpus);
    }

    private String backoffText(LaneState lane) {
        OptionalLong end = TimestampText.parseEpochSecond(lane.backoffUntil());
        ProcessState head = null;
        for (ProcessState process : lane.processes()) {
            head = head == null && process.backoffUntil() != null ? process : head;
        }
        return (head == null
                        ? "waits for a retry"
                        : "task " + head.taskId() + " waits for retry " + head.retryCount())
                + (end.isEmpty() ? "" : ", " + DurationText.ahead(end.getAsLong() - now) + " more");
    }

    private static @Nullable Long nextTask(LaneState lane) {
        for (ProcessState process : lane.processes()) {
            if (process.status().equals("pending")) {
                return process.taskId();
            }
        }
        return null;
    }

    private String age() {
        OptionalLong ended = TimestampText.parseEpochSecond(run.endedAt());
        OptionalLong started = TimestampText.parseEpochSecond(run.startedAt());
        if (ended.isPresent()) {
            return " " + DurationText.brief(now - ended.getAsLong()) + " ago";
        }
        return started.isEmpty() ? "" : " for " + DurationText.brief(now - started.getAsLong());
    }

    private static int rank(LaneState lane) {
        return switch (lane.status()) {
            case "busy" -> 0;
            case "backoff" -> 1;
            case "idle" -> 2;
            default -> 3;
        };
    }

    private static TextStyle paint(String status) {
        return switch (status) {
            case "busy", "running" -> TextStyle.CYAN;
            case "backoff", "stopping" -> TextStyle.YELLOW;
            case "done", "finished" -> TextStyle.GREEN;
            case "stopped" -> TextStyle.MAGENTA;
            default -> TextStyle.PLAIN;
        };
    }
}

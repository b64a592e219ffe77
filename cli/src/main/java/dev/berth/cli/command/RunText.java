package dev.berth.cli.command;

import dev.berth.cli.text.Age;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Moment;
import dev.berth.cli.text.Paint;
import dev.berth.cli.text.Table;
import dev.berth.cli.text.Table.Cell;
import dev.berth.cli.text.Table.Kind;
import dev.berth.wire.LaneState;
import dev.berth.wire.ProcessState;
import dev.berth.wire.RunState;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A run for people: one line for it, one for each lane. */
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

    /** {@code Run 3 running for 12m 2 of 5 completed, 1 running single command.txt}. */
    String headline(boolean colours) {
        return Paint.BOLD.on("Run " + run.pid(), colours)
                + INDENT
                + paint(run.status()).on(Clean.line(run.status()), colours)
                + age()
                + INDENT
                + counts(run)
                + INDENT
                + Clean.line(run.mode())
                + INDENT
                + Clean.line(run.commandFile());
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

    /** Why it does not go on, where that is so; empty else. */
    String reason() {
        String reason = run.reason();
        return reason == null || reason.isEmpty()
                ? ""
                : INDENT + "nothing of it can start: " + Clean.line(reason);
    }

    /**
     * A line for each lane, without their ends.
     *
     * @param most lanes; of more, those that do something come first and the rest are counted
     */
    List<String> lanes(int most, int width, boolean colours) {
        List<Map.Entry<String, LaneState>> shown = new ArrayList<>(run.queues().entrySet());
        int left = shown.size() - most;
        if (left > 0) {
            // A stable sort: among equals the file's own order stays.
            shown.sort((one, other) -> rank(one.getValue()) - rank(other.getValue()));
            shown = shown.subList(0, most);
        }
        List<String> lines = new ArrayList<>();
        if (!shown.isEmpty()) {
            String[] rows = table(shown).render(width, colours).split("\n");
            for (int row = 1; row < rows.length; row++) {
                lines.add(rows[row]);
            }
        }
        if (left > 0) {
            lines.add(INDENT + "… and " + left + " more lanes");
        }
        return lines;
    }

    private Table table(List<Map.Entry<String, LaneState>> lanes) {
        List<Cell> names = new ArrayList<>();
        List<Cell> states = new ArrayList<>();
        List<Cell> done = new ArrayList<>();
        List<Cell> doing = new ArrayList<>();
        for (Map.Entry<String, LaneState> entry : lanes) {
            LaneState lane = entry.getValue();
            names.add(Cell.of(INDENT + "lane " + entry.getKey()));
            states.add(new Cell(lane.status(), paint(lane.status())));
            done.add(Cell.of(lane.completed() + "/" + lane.total()));
            doing.add(Cell.of(doing(lane)));
        }
        Table table = new Table();
        table.add("", Kind.LEFT, names);
        table.add("", Kind.LEFT, states);
        table.add("", Kind.RIGHT, done);
        table.add("", Kind.SHRINKS, doing);
        return table;
    }

    private String doing(LaneState lane) {
        return switch (lane.status()) {
            case "busy" -> runs(lane);
            case "backoff" -> rests(lane);
            case "idle" -> next(lane) == null ? "" : "task " + next(lane) + " waits";
            default -> "";
        };
    }

    private static String runs(LaneState lane) {
        Long current = lane.current();
        String gpus = TaskTable.list(lane.gpus());
        return (current == null ? "" : "task " + current) + (gpus.isEmpty() ? "" : " on " + gpus);
    }

    private String rests(LaneState lane) {
        OptionalLong end = Moment.epochSecond(lane.backoffUntil());
        ProcessState head = null;
        for (ProcessState process : lane.processes()) {
            head = head == null && process.backoffUntil() != null ? process : head;
        }
        return (head == null
                        ? "rests"
                        : "task " + head.taskId() + " rests before retry " + head.retryCount())
                + (end.isEmpty() ? "" : ", " + Age.brief(end.getAsLong() - now) + " more");
    }

    private static @Nullable Long next(LaneState lane) {
        for (ProcessState process : lane.processes()) {
            if (process.status().equals("pending")) {
                return process.taskId();
            }
        }
        return null;
    }

    private String age() {
        OptionalLong ended = Moment.epochSecond(run.endedAt());
        OptionalLong started = Moment.epochSecond(run.startedAt());
        if (ended.isPresent()) {
            return " " + Age.brief(now - ended.getAsLong()) + " ago";
        }
        return started.isEmpty() ? "" : " for " + Age.brief(now - started.getAsLong());
    }

    private static int rank(LaneState lane) {
        return switch (lane.status()) {
            case "busy" -> 0;
            case "backoff" -> 1;
            case "idle" -> 2;
            default -> 3;
        };
    }

    private static Paint paint(String status) {
        return switch (status) {
            case "busy", "running" -> Paint.CYAN;
            case "backoff", "stopping" -> Paint.YELLOW;
            case "done", "finished" -> Paint.GREEN;
            case "stopped" -> Paint.MAGENTA;
            default -> Paint.PLAIN;
        };
    }
}

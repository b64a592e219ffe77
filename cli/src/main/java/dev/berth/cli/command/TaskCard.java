package dev.berth.cli.command;

import dev.berth.cli.call.Surroundings;
import dev.berth.cli.text.Age;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Moment;
import dev.berth.cli.text.Paint;
import dev.berth.wire.AttemptInfo;
import dev.berth.wire.Reason;
import dev.berth.wire.TaskDetail;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.OptionalLong;

/** One task on a card: a title, then a line for everything there is to say. */
final class TaskCard {

    private static final int LABEL_WIDTH = 12;

    private final TaskDetail task;
    private final Surroundings around;
    private final StringBuilder text = new StringBuilder();

    TaskCard(TaskDetail task, Surroundings around) {
        this.task = task;
        this.around = around;
    }

    /** Without the last line's end. */
    String text() {
        title();
        need();
        line("priority", task.priority().equals("NORMAL") ? "" : task.priority());
        line("owner", task.owner());
        line("directory", task.workDir());
        line("environment", String.join(" ", task.env()));
        line("created", ago(task.createdAt()));
        line("started", ago(task.startedAt()));
        line("finished", ago(task.finishedAt()));
        line("ran", ran());
        line("position", position());
        reasons("waits for", task.waitReasons(), 0);
        Integer code = task.exitCode();
        line("exit code", code == null ? "" : code.toString());
        line("error", task.error());
        line("log", task.logPath());
        line("tmux", task.tmuxSession());
        attempts();
        command();
        return text.toString().stripTrailing();
    }

    private void title() {
        boolean colours = around.colours();
        String status = Clean.line(TaskTable.status(task.status(), task.phase()));
        text.append(Paint.BOLD.on("Task " + task.id(), colours)).append("  ");
        text.append(Clean.line(task.name())).append("  ");
        text.append(Paint.ofStatus(task.status()).on(status, colours)).append('\n');
    }

    private void need() {
        StringBuilder need = new StringBuilder();
        if (task.devices().equals("cpu")) {
            need.append("none (cpu)");
        } else {
            need.append(task.gpuCount());
            String type = task.gpuType();
            need.append(type == null ? "" : " × " + type);
            String memory = TaskTable.memory(task.memoryGb());
            need.append(memory.isEmpty() ? "" : ", " + memory + " each");
        }
        String cards = TaskTable.list(task.assignedGpus());
        line("gpus", cards.isEmpty() ? need.toString() : need + ": " + cards);
    }

    /** The server counts from 0, people count those before them. */
    private String position() {
        Integer position = task.position();
        if (position == null) {
            return "";
        }
        return position == 0 ? "next in line" : position + " ahead of it";
    }

    private void reasons(String label, List<Reason> reasons, int depth) {
        String shown = label;
        for (Reason reason : reasons) {
            line(shown, "  ".repeat(depth) + reason.detail());
            reasons("", reason.parts(), depth + 1);
            shown = "";
        }
    }

    /** The one and only attempt says nothing that is not said already. */
    private void attempts() {
        if (task.attempts().size() < 2) {
            return;
        }
        String label = "attempts";
        for (AttemptInfo attempt : task.attempts()) {
            String gpus = TaskTable.list(attempt.gpus());
            String error = attempt.error();
            line(
                    label,
                    attempt.number()
                            + "  "
                            + attempt.phase()
                            + (gpus.isEmpty() ? "" : "  on " + gpus)
                            + (error == null || error.isEmpty() ? "" : "  " + error));
            label = "";
        }
    }

    private void command() {
        String label = "command";
        for (String line : task.command().stripTrailing().split("\n", -1)) {
            text.append("  ").append(label).repeat(' ', LABEL_WIDTH - label.length());
            text.append(Clean.line(line)).append('\n');
            label = "";
        }
    }

    private void line(String label, @Nullable String value) {
        if (value == null || value.isEmpty()) {
            return;
        }
        text.append("  ").append(label).repeat(' ', LABEL_WIDTH - label.length());
        text.append(Clean.line(value)).append('\n');
    }

    private String ago(@Nullable String moment) {
        OptionalLong then = Moment.epochSecond(moment);
        if (then.isEmpty()) {
            return "";
        }
        Instant instant = Instant.ofEpochSecond(then.getAsLong());
        ZoneOffset offset = around.time().zone().getRules().getOffset(instant);
        long age = around.time().now().getEpochSecond() - then.getAsLong();
        return Moment.shown(then.getAsLong(), offset) + " (" + Age.brief(age) + " ago)";
    }

    private String ran() {
        OptionalLong start = Moment.epochSecond(task.startedAt());
        if (start.isEmpty()) {
            return "";
        }
        long end =
                Moment.epochSecond(task.finishedAt()).orElse(around.time().now().getEpochSecond());
        return Age.full(end - start.getAsLong());
    }
}

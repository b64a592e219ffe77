package dev.berth.cli.command;

import dev.berth.cli.call.Surroundings;
import dev.berth.cli.text.Age;
import dev.berth.cli.text.Moment;
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

    private final TaskDetail task;
    private final Surroundings around;
    private final Card card = new Card();
    private final FindingLines findings;

    TaskCard(TaskDetail task, Surroundings around) {
        this.task = task;
        this.around = around;
        this.findings = new FindingLines(task, around, card);
    }

    /** Without the last line's end. */
    String text() {
        card.title(task, around.colours());
        need();
        model();
        card.line("priority", task.priority().equals("NORMAL") ? "" : task.priority());
        Integer limit = task.timeoutSeconds();
        card.line("time limit", limit == null ? "" : Age.exact(limit));
        lane();
        card.line("owner", task.owner());
        card.line("directory", task.workDir());
        card.line("environment", String.join(" ", task.env()));
        card.line("created", ago(task.createdAt()));
        card.line("queued", task.createdAt().equals(task.queuedAt()) ? "" : ago(task.queuedAt()));
        card.line("started", ago(task.startedAt()));
        card.line("finished", ago(task.finishedAt()));
        card.line("ran", ran());
        findings.progress();
        Integer position = task.position();
        card.line("position", position == null ? "" : position(position));
        card.line("waits for", task.status().equals("pending") ? draft(task.id()) : "");
        reasons("waits for", task.waitReasons(), 0);
        Integer code = task.exitCode();
        card.line("exit code", code == null ? "" : code.toString());
        card.line("error", task.error());
        card.line("error type", task.errorType());
        findings.diagnosis();
        findings.usage();
        card.line("log", task.logPath());
        card.line("tmux", task.tmuxSession());
        attempts();
        command();
        return card.text();
    }

    private void need() {
        StringBuilder need = new StringBuilder();
        if (task.devices().equals("cpu")) {
            need.append("none (cpu)");
        } else {
            need.append(TaskTable.gpus(task.devices(), task.gpuCount(), task.maxGpu()));
            String type = task.gpuType();
            need.append(type == null ? "" : " × " + type);
            String memory = TaskTable.memory(task.memoryGb());
            need.append(memory.isEmpty() ? "" : ", " + memory + " each");
            String named = TaskTable.named(task.devices());
            need.append(named.isEmpty() ? "" : ", only on " + named);
            need.append(task.share() ? ", shared" : "");
        }
        String cards = TaskTable.list(task.assignedGpus());
        card.line("gpus", cards.isEmpty() ? need.toString() : need + ": " + cards);
    }

    private void model() {
        card.line("model", task.modelName());
        card.line("task type", task.taskType());
        Integer atoms = task.structureNAtoms();
        card.line("atoms", atoms == null ? "" : atoms.toString());
    }

    private void lane() {
        card.line("lane", task.lane());
        Long run = task.run();
        card.line("run", run == null ? "" : run.toString());
        card.line("uni id", task.uniId());
        card.line("retries", retries());
        OptionalLong end = Moment.epochSecond(task.backoffUntil());
        if (end.isPresent()) {
            long left = end.getAsLong() - around.time().now().getEpochSecond();
            card.line("rests until", shown(end.getAsLong()) + " (" + Age.brief(left) + " more)");
        }
    }

    /** Only where there were some, or may be. */
    private String retries() {
        Integer most = task.maxRetries();
        if (most != null) {
            return most == 0 && task.retryCount() == 0 ? "" : task.retryCount() + " of " + most;
        }
        return task.run() == null && task.retryCount() == 0
                ? ""
                : task.retryCount() + ", without end";
    }

    /** What a draft waits for. */
    static String draft(long id) {
        return "you: `berth queue " + id + "` or `berth launch " + id + "`";
    }

    /** The server counts from 0, people count those before them. */
    static String position(int position) {
        return position == 0 ? "next in line" : position + " ahead of it";
    }

    private void reasons(String label, List<Reason> reasons, int depth) {
        String shown = label;
        for (Reason reason : reasons) {
            card.line(shown, "  ".repeat(depth) + reason.detail());
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
            card.line(
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
            card.lineEvenIfEmpty(label, line);
            label = "";
        }
    }

    private String ago(@Nullable String moment) {
        OptionalLong then = Moment.epochSecond(moment);
        if (then.isEmpty()) {
            return "";
        }
        long age = around.time().now().getEpochSecond() - then.getAsLong();
        return shown(then.getAsLong()) + " (" + Age.brief(age) + " ago)";
    }

    private String shown(long second) {
        Instant instant = Instant.ofEpochSecond(second);
        ZoneOffset offset = around.time().zone().getRules().getOffset(instant);
        return Moment.shown(second, offset);
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

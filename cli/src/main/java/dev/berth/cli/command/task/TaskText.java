package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.command.gpu.GpuWords;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.AttemptInfo;
import dev.berth.wire.ExpectedTimes;
import dev.berth.wire.Reason;
import dev.berth.wire.TaskDetail;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.OptionalLong;

/** All details of one task: a title, then one line for each detail. */
final class TaskText {

    private final TaskDetail task;
    private final CallContext context;
    private final LabelledLines lines = new LabelledLines();
    private final DiagnosisLines findings;

    TaskText(TaskDetail task, CallContext context) {
        this.task = task;
        this.context = context;
        this.findings = new DiagnosisLines(task, context, lines);
    }

    /** The text without the final line end. */
    String text() {
        lines.addTitle(task, context.usesColours());
        addGpus();
        addModel();
        lines.add(
                "priority",
                task.header().priority().equals("NORMAL") ? "" : task.header().priority());
        Integer limit = task.timeoutSeconds();
        lines.add("time limit", limit == null ? "" : DurationText.exact(limit));
        addLane();
        lines.add("owner", task.header().owner());
        // The directory of a model task is that of the worker.
        lines.add("directory", isModelTask() ? "" : task.workDir());
        lines.add("environment", String.join(" ", task.env()));
        lines.add("created", formatWithAge(task.times().createdAt()));
        lines.add(
                "queued",
                task.times().createdAt().equals(task.times().queuedAt())
                        ? ""
                        : formatWithAge(task.times().queuedAt()));
        lines.add("started", formatWithAge(task.times().startedAt()));
        lines.add("finished", formatWithAge(task.times().finishedAt()));
        lines.add("ran", runTime());
        findings.addProgress();
        Integer position = task.queuePlace().position();
        lines.add("position", position == null ? "" : positionText(position));
        addExpected();
        lines.add(
                "waits for",
                task.header().status().equals("pending") ? draftReason(task.id()) : "");
        addReasons("waits for", task.queuePlace().waitReasons(), 0);
        Integer code = task.result().exitCode();
        lines.add("exit code", code == null ? "" : code.toString());
        lines.add("error", task.result().error());
        lines.add("error type", task.result().errorType());
        findings.addDiagnosis();
        findings.addUsage();
        lines.add("log", task.output().logPath());
        lines.add("tmux", task.output().tmuxSession());
        addAttempts();
        if (isModelTask()) {
            addCall();
        } else {
            addCommand();
        }
        return lines.text();
    }

    /** True if a worker of its model runs it. */
    private boolean isModelTask() {
        return task.call().params() != null;
    }

    private void addCall() {
        JsonLines json = new JsonLines(task.id(), lines);
        json.add("params", task.call().params());
        if (task.header().status().equals("completed")) {
            json.add("result", task.call().result());
        }
    }

    private void addGpus() {
        StringBuilder text = new StringBuilder();
        if (task.header().devices().equals("cpu")) {
            text.append("none (cpu)");
        } else {
            text.append(
                    TaskTable.gpus(
                            task.header().devices(),
                            task.gpuRequest().gpuCount(),
                            task.gpuLimits().maxGpu()));
            String type = task.gpuRequest().gpuType();
            text.append(type == null ? "" : " × " + type);
            String memory = TaskTable.memory(task.gpuLimits().memoryGb());
            text.append(memory.isEmpty() ? "" : ", " + memory + " each");
            String named = TaskTable.selectedGpus(task.header().devices());
            text.append(named.isEmpty() ? "" : ", only on " + named);
            text.append(task.gpuLimits().share() ? ", shared" : "");
        }
        String gpus = TaskTable.joinNumbers(task.assignedGpus());
        String holder = isModelTask() ? " (worker of " + task.model().modelName() + ")" : "";
        lines.add("gpus", gpus.isEmpty() ? text.toString() : text + ": " + gpus + holder);
        lines.add("node", node());
    }

    /** The node of the latest attempt; empty if it is this machine or not known yet. */
    private String node() {
        if (task.attempts().isEmpty()) {
            return "";
        }
        AttemptInfo latest = task.attempts().getLast();
        boolean isKnown = !latest.phase().equals("handed");
        return isKnown && GpuWords.isElsewhere(latest.node()) ? latest.node() : "";
    }

    private void addModel() {
        lines.add("model", task.model().modelName());
        lines.add("task type", task.model().taskType());
        Integer atoms = task.model().structureNAtoms();
        lines.add("atoms", atoms == null ? "" : atoms.toString());
    }

    private void addLane() {
        lines.add("lane", task.lane().lane());
        Long run = task.lane().run();
        lines.add("run", run == null ? "" : run.toString());
        lines.add("uni id", task.lane().uniId());
        lines.add("retries", retries());
        OptionalLong end = TimestampText.parseEpochSecond(task.lane().backoffUntil());
        if (end.isPresent()) {
            long remaining = end.getAsLong() - context.clock().now().getEpochSecond();
            lines.add(
                    "retry after",
                    format(end.getAsLong()) + " (" + DurationText.ahead(remaining) + " more)");
        }
    }

    /** Empty if there were no retries and none are allowed. */
    private String retries() {
        Integer max = task.lane().maxRetries();
        if (max != null) {
            return max == 0 && task.lane().retryCount() == 0
                    ? ""
                    : task.lane().retryCount() + " of " + max;
        }
        return task.lane().run() == null && task.lane().retryCount() == 0
                ? ""
                : task.lane().retryCount() + ", without end";
    }

    /** What a draft waits for. */
    static String draftReason(long id) {
        return "you: `berth queue " + id + "` or `berth launch " + id + "`";
    }

    private void addExpected() {
        ExpectedTimes expected = task.times().expected();
        long now = context.clock().now().getEpochSecond();
        boolean isQueued = task.header().status().equals("queued");
        String start = ExpectedText.sentence(expected.eta(), expected.etaLatest(), now);
        String unknown = ExpectedText.unknown(expected.etaReason());
        lines.add(
                "starts",
                !start.isEmpty() || !isQueued ? start : unknown.isEmpty() ? "not known" : unknown);
        lines.add(
                "ends",
                ExpectedText.sentence(expected.expectedEnd(), expected.expectedEndLatest(), now));
    }

    /** The server reports the number of tasks ahead, from 0. */
    static String positionText(int position) {
        return position == 0 ? "next in the queue" : position + " ahead of it";
    }

    private void addReasons(String label, List<Reason> reasons, int depth) {
        String shownLabel = label;
        for (Reason reason : reasons) {
            lines.add(shownLabel, "  ".repeat(depth) + reason.detail());
            addReasons("", reason.parts(), depth + 1);
            shownLabel = "";
        }
    }

    /** A single attempt adds nothing to the lines above. */
    private void addAttempts() {
        if (task.attempts().size() < 2) {
            return;
        }
        String label = "attempts";
        for (AttemptInfo attempt : task.attempts()) {
            String gpus = TaskTable.joinNumbers(attempt.gpus());
            String error = attempt.error();
            lines.add(
                    label,
                    attempt.number()
                            + "  "
                            + attempt.phase()
                            + (gpus.isEmpty() ? "" : "  on " + gpus)
                            + (error == null || error.isEmpty() ? "" : "  " + error));
            label = "";
        }
    }

    /** The server sends no command of another user's task; an empty one cannot be submitted. */
    private void addCommand() {
        String label = "command";
        if (task.command().isEmpty()) {
            String owner = task.header().owner();
            lines.add(label, "(only " + owner + " and admins see the command and the log)");
            return;
        }
        for (String line : task.command().stripTrailing().split("\n", -1)) {
            lines.addEvenIfEmpty(label, line);
            label = "";
        }
    }

    private String formatWithAge(@Nullable String moment) {
        OptionalLong time = TimestampText.parseEpochSecond(moment);
        if (time.isEmpty()) {
            return "";
        }
        long age = context.clock().now().getEpochSecond() - time.getAsLong();
        return format(time.getAsLong()) + " (" + DurationText.brief(age) + " ago)";
    }

    private String format(long second) {
        return TimestampText.format(second, context.clock().offsetAt(second));
    }

    private String runTime() {
        OptionalLong start = TimestampText.parseEpochSecond(task.times().startedAt());
        if (start.isEmpty()) {
            return "";
        }
        long end =
                TimestampText.parseEpochSecond(task.times().finishedAt())
                        .orElse(context.clock().now().getEpochSecond());
        return DurationText.full(end - start.getAsLong());
    }
}

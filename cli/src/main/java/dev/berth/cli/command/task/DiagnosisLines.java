package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.text.DecimalText;
import dev.berth.cli.text.DurationText;
import dev.berth.cli.text.ShellWords;
import dev.berth.cli.text.TimestampText;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskDiagnosis;
import dev.berth.wire.TaskProgress;
import dev.berth.wire.TaskUsage;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The lines about progress, diagnosis and memory use of a task. */
final class DiagnosisLines {

    private static final int MIB_PER_GIB = 1024;

    private final TaskDetail task;
    private final CallContext context;
    private final LabelledLines lines;

    DiagnosisLines(TaskDetail task, CallContext context, LabelledLines lines) {
        this.task = task;
        this.context = context;
        this.lines = lines;
    }

    void addProgress() {
        TaskProgress progress = task.findings().progress();
        if (progress == null) {
            return;
        }
        StringBuilder text = new StringBuilder();
        text.append(progress.percent()).append(" %, ").append(progress.unit()).append(' ');
        text.append(progress.done()).append(" of ").append(progress.total());
        OptionalLong finish = TimestampText.parseEpochSecond(progress.finishAt());
        if (finish.isPresent()) {
            long left = finish.getAsLong() - context.clock().now().getEpochSecond();
            text.append(", done in about ").append(DurationText.ahead(Math.max(0, left)));
        }
        Long stalledSeconds = progress.stalledSeconds();
        if (stalledSeconds != null) {
            text.append(", NO PROGRESS for ").append(DurationText.brief(stalledSeconds));
        }
        lines.add("progress", text.toString());
    }

    /** Not for a completed task: an earlier attempt failed, but the retry succeeded. */
    void addDiagnosis() {
        TaskDiagnosis diagnosis = task.findings().diagnosis();
        if (diagnosis == null || task.header().status().equals("completed")) {
            return;
        }
        lines.add("because", diagnosis.line());
        lines.add("advice", diagnosis.advice());
        TaskDiagnosis.Redo redo = diagnosis.redo();
        if (redo != null) {
            lines.add("try", "berth clone " + task.id() + options(redo));
        }
    }

    private static String memoryOption(double gib) {
        return gib == Math.rint(gib) ? Math.round(gib) + "G" : Math.round(gib * MIB_PER_GIB) + "M";
    }

    private static String options(TaskDiagnosis.Redo redo) {
        StringBuilder options = new StringBuilder();
        Double memory = redo.memoryGb();
        if (memory != null) {
            options.append(" --memory ").append(memoryOption(memory));
        }
        Map<String, String> env = redo.env();
        if (env != null) {
            env.forEach(
                    (name, value) ->
                            options.append(" --env ")
                                    .append(ShellWords.join(List.of(name + "=" + value))));
        }
        return options.toString();
    }

    void addUsage() {
        TaskUsage usage = task.findings().usage();
        if (usage == null) {
            return;
        }
        Long requested = usage.memoryAskedMb();
        lines.add(
                "memory",
                gib(usage.peakMemoryMb())
                        + " at most, "
                        + gib(usage.meanMemoryMb())
                        + " on average"
                        + (requested == null ? "" : ", " + gib(requested) + " asked for"));
        Integer peak = usage.peakUtilization();
        Integer mean = usage.meanUtilization();
        lines.add(
                "busy",
                peak == null || mean == null ? "" : mean + " % on average, " + peak + " % at most");
    }

    private static String gib(long mib) {
        return DecimalText.oneDecimal(mib / (double) MIB_PER_GIB) + " GiB";
    }
}

package dev.berth.cli.command;

import dev.berth.cli.call.Surroundings;
import dev.berth.cli.text.Age;
import dev.berth.cli.text.Moment;
import dev.berth.cli.text.ShellWords;
import dev.berth.cli.text.Tenths;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskDiagnosis;
import dev.berth.wire.TaskProgress;
import dev.berth.wire.TaskUsage;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** What was found out about a task, as lines of its card. */
final class FindingLines {

    private static final int MIB_PER_GIB = 1024;

    private final TaskDetail task;
    private final Surroundings around;
    private final Card card;

    FindingLines(TaskDetail task, Surroundings around, Card card) {
        this.task = task;
        this.around = around;
        this.card = card;
    }

    void progress() {
        TaskProgress progress = task.progress();
        if (progress == null) {
            return;
        }
        StringBuilder text = new StringBuilder();
        text.append(progress.percent()).append(" %, ").append(progress.unit()).append(' ');
        text.append(progress.done()).append(" of ").append(progress.total());
        OptionalLong finish = Moment.epochSecond(progress.finishAt());
        if (finish.isPresent()) {
            long left = finish.getAsLong() - around.time().now().getEpochSecond();
            text.append(", done in about ").append(Age.brief(Math.max(0, left)));
        }
        Long stalled = progress.stalledSeconds();
        if (stalled != null) {
            text.append(", STANDS STILL for ").append(Age.brief(stalled));
        }
        card.line("progress", text.toString());
    }

    /** Only of what has failed: a task that is tried again may do better. */
    void diagnosis() {
        TaskDiagnosis diagnosis = task.diagnosis();
        if (diagnosis == null || task.status().equals("completed")) {
            return;
        }
        card.line("because", diagnosis.line());
        card.line("advice", diagnosis.advice());
        TaskDiagnosis.Redo redo = diagnosis.redo();
        if (redo != null) {
            card.line("try", "berth clone " + task.id() + options(redo));
        }
    }

    private static String amount(double gib) {
        return gib == Math.rint(gib) ? Math.round(gib) + "G" : Math.round(gib * MIB_PER_GIB) + "M";
    }

    private static String options(TaskDiagnosis.Redo redo) {
        StringBuilder options = new StringBuilder();
        Double memory = redo.memoryGb();
        if (memory != null) {
            options.append(" --memory ").append(amount(memory));
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

    void usage() {
        TaskUsage usage = task.usage();
        if (usage == null) {
            return;
        }
        Long asked = usage.memoryAskedMb();
        card.line(
                "memory",
                gib(usage.peakMemoryMb())
                        + " at most, "
                        + gib(usage.meanMemoryMb())
                        + " on average"
                        + (asked == null ? "" : ", " + gib(asked) + " asked for"));
        Integer peak = usage.peakUtilization();
        Integer mean = usage.meanUtilization();
        card.line(
                "busy",
                peak == null || mean == null ? "" : mean + " % on average, " + peak + " % at most");
    }

    private static String gib(long mib) {
        return Tenths.of(mib / (double) MIB_PER_GIB) + " GiB";
    }
}

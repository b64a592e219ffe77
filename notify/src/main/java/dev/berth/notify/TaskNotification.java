package dev.berth.notify;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptFindings;
import dev.berth.core.task.GpuConsumption;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.json.IsoTime;
import dev.berth.wire.TaskMessage;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The notification about an ended task: outcome, cause and GPU use.
 *
 * @param showsWork false to leave out what only its owner and admins may see: exit code, error and
 *     log
 */
record TaskNotification(
        EndedTask endedTask,
        NotificationTexts texts,
        Optional<Notification.Link> link,
        boolean showsWork) {

    private static final double MILLIS = 1000;

    Notification build() {
        return new Notification(title(), rows(), link, json());
    }

    private String title() {
        var task = endedTask.task();
        return texts.text(
                "task_title",
                Map.of(
                        "task", task.id().toString(),
                        "name", task.spec().name(),
                        "outcome", outcome()));
    }

    private String outcome() {
        return texts.outcome(endedTask.event().payload());
    }

    /** One line of a digest. */
    String digestLine() {
        var task = endedTask.task();
        return "#"
                + task.id()
                + " "
                + task.spec().name()
                + " ("
                + task.owner().name()
                + "): "
                + outcome()
                + error().map(error -> ", " + texts.error(error)).orElse("");
    }

    private List<Notification.Row> rows() {
        var rows = new ArrayList<Notification.Row>();
        var task = endedTask.task();
        rows.add(texts.row("task", task.spec().name() + " (#" + task.id() + ")"));
        rows.add(texts.row("owner", task.owner().name()));
        rows.add(texts.row("outcome", outcome()));
        endedTask.runTime().ifPresent(time -> rows.add(texts.row("ran", texts.duration(time))));
        endedTask.waitTime().ifPresent(time -> rows.add(texts.row("waited", texts.duration(time))));
        if (exitCode().isPresent()) {
            rows.add(texts.row("exit_code", Integer.toString(exitCode().getAsInt())));
        }
        error().ifPresent(error -> rows.add(texts.row("error", texts.error(error))));
        diagnosis().ifPresent(diagnosis -> rows.addAll(causeRows(diagnosis)));
        findings().consumption().ifPresent(consumption -> rows.addAll(gpuRows(consumption)));
        return rows;
    }

    private List<Notification.Row> causeRows(Diagnosis diagnosis) {
        return List.of(
                texts.row("cause", texts.cause(diagnosis.cause())),
                texts.row("log", diagnosis.line()));
    }

    private List<Notification.Row> gpuRows(GpuConsumption used) {
        var asked = endedTask.task().spec().statedMemoryMib();
        var memory =
                Map.of(
                        "peak", Long.toString(used.peakMib()),
                        "mean", Long.toString(used.meanMib()),
                        "requested", asked.isPresent() ? Long.toString(asked.getAsLong()) : "");
        var rows = new ArrayList<Notification.Row>();
        rows.add(texts.row("gpu_memory", texts.text("gpu_memory", memory)));
        if (used.meanPercent().isPresent()) {
            var busy =
                    Map.of(
                            "mean", percent(used.meanPercent()),
                            "peak", percent(used.peakPercent()));
            rows.add(texts.row("gpu_use", texts.text("gpu_use", busy)));
        }
        return rows;
    }

    private static String percent(OptionalInt number) {
        return number.isPresent() ? Integer.toString(number.getAsInt()) : "";
    }

    private Optional<String> error() {
        return endedTask.error().filter(_ -> showsWork);
    }

    private OptionalInt exitCode() {
        return showsWork ? endedTask.exitCode() : OptionalInt.empty();
    }

    private Optional<Diagnosis> diagnosis() {
        return findings().diagnosis().filter(_ -> showsWork);
    }

    private AttemptFindings findings() {
        return endedTask.attempt().map(Attempt::findings).orElse(AttemptFindings.NONE);
    }

    private TaskMessage json() {
        var event = endedTask.event();
        return new TaskMessage(
                TopicFilter.topicOf(event.payload()).orElseThrow().configName(),
                event.seq(),
                IsoTime.format(event.at()),
                task(),
                findings().consumption().map(this::usage).orElse(null),
                diagnosis().map(TaskNotification::diagnosis).orElse(null),
                link.map(Notification.Link::url).orElse(null));
    }

    private TaskMessage.TaskPart task() {
        var task = endedTask.task();
        return new TaskMessage.TaskPart(
                task.id().value(),
                task.spec().name(),
                task.owner().name(),
                endedTask.status(),
                endedTask.attempt().map(one -> one.id().number()).orElse(null),
                orNull(exitCode()),
                error().orElse(null),
                IsoTime.format(task.createdAt()),
                endedTask.startedAt().map(IsoTime::format).orElse(null),
                endedTask.finishedAt().map(IsoTime::format).orElse(null),
                endedTask.waitTime().map(TaskNotification::seconds).orElse(null),
                endedTask.runTime().map(TaskNotification::seconds).orElse(null));
    }

    private TaskMessage.UsagePart usage(GpuConsumption used) {
        return new TaskMessage.UsagePart(
                used.peakMib(),
                used.meanMib(),
                orNull(used.peakPercent()),
                orNull(used.meanPercent()),
                seconds(used.measuredTime()),
                orNull(endedTask.task().spec().statedMemoryMib()),
                seconds(endedTask.gpuTime()));
    }

    private static TaskMessage.DiagnosisPart diagnosis(Diagnosis found) {
        return new TaskMessage.DiagnosisPart(found.cause().code(), found.line(), found.params());
    }

    private static double seconds(Duration time) {
        return time.toMillis() / MILLIS;
    }

    private static @Nullable Integer orNull(OptionalInt number) {
        return number.isPresent() ? number.getAsInt() : null;
    }

    private static @Nullable Long orNull(OptionalLong number) {
        return number.isPresent() ? number.getAsLong() : null;
    }
}

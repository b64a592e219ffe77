package dev.berth.server.message;

import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Consumption;
import dev.berth.core.task.Findings;
import dev.berth.server.http.IsoTime;
import dev.berth.wire.TaskMessage;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What is told of a task that ended: how, why, and what it made of its cards. */
record TaskNote(Ended ended, Phrases phrases, Optional<Note.Link> link) {

    private static final double MILLIS = 1000;

    Note note() {
        return new Note(title(), rows(), link, json());
    }

    private String title() {
        var task = ended.task();
        return phrases.of("任务", "Task ")
                + phrases.outcome(ended.event().kind())
                + ": "
                + task.spec().name()
                + " (#"
                + task.id()
                + ")";
    }

    /** In a list with others. */
    String line() {
        var task = ended.task();
        return "#"
                + task.id()
                + " "
                + task.spec().name()
                + " ("
                + task.owner().name()
                + "): "
                + phrases.outcome(ended.event().kind())
                + ended.error().map(error -> ", " + error).orElse("");
    }

    private List<Note.Row> rows() {
        var rows = new ArrayList<Note.Row>();
        var task = ended.task();
        rows.add(row("任务", "Task", task.spec().name() + " (#" + task.id() + ")"));
        rows.add(row("用户", "Owner", task.owner().name()));
        rows.add(row("结果", "Outcome", phrases.outcome(ended.event().kind())));
        ended.ran().ifPresent(time -> rows.add(row("运行", "Ran", phrases.language().time(time))));
        ended.waited()
                .ifPresent(time -> rows.add(row("排队", "Waited", phrases.language().time(time))));
        if (ended.exitCode().isPresent()) {
            rows.add(row("退出码", "Exit code", Integer.toString(ended.exitCode().getAsInt())));
        }
        ended.error().ifPresent(error -> rows.add(row("错误", "Error", error)));
        findings().diagnosis().ifPresent(diagnosis -> rows.addAll(why(diagnosis)));
        findings().consumption().ifPresent(consumption -> rows.addAll(card(consumption)));
        return rows;
    }

    private List<Note.Row> why(Diagnosis diagnosis) {
        return List.of(
                row("原因", "Cause", phrases.cause(diagnosis.cause())),
                row("日志", "Log", diagnosis.line()));
    }

    private List<Note.Row> card(Consumption used) {
        var asked = ended.task().spec().statedMib();
        var memory =
                phrases.of("峰值 ", "peak ")
                        + used.peakMib()
                        + " MiB, "
                        + phrases.of("平均 ", "mean ")
                        + used.meanMib()
                        + " MiB"
                        + (asked.isPresent()
                                ? ", " + phrases.of("申请 ", "asked ") + asked.getAsLong() + " MiB"
                                : "");
        var rows = new ArrayList<Note.Row>();
        rows.add(row("显存", "GPU memory", memory));
        if (used.meanPercent().isPresent()) {
            var busy =
                    phrases.of("平均 ", "mean ")
                            + used.meanPercent().getAsInt()
                            + "%"
                            + (used.peakPercent().isPresent()
                                    ? ", "
                                            + phrases.of("峰值 ", "peak ")
                                            + used.peakPercent().getAsInt()
                                            + "%"
                                    : "");
            rows.add(row("利用率", "GPU use", busy));
        }
        return rows;
    }

    private Note.Row row(String chinese, String english, String value) {
        return new Note.Row(phrases.of(chinese, english), value);
    }

    private Findings findings() {
        return ended.attempt().map(Attempt::findings).orElse(Findings.NONE);
    }

    private TaskMessage json() {
        var event = ended.event();
        return new TaskMessage(
                Topic.of(event.kind()).orElseThrow().word(),
                event.seq(),
                IsoTime.text(event.at()),
                task(),
                findings().consumption().map(this::usage).orElse(null),
                findings().diagnosis().map(TaskNote::diagnosis).orElse(null),
                link.map(Note.Link::url).orElse(null));
    }

    private TaskMessage.TaskPart task() {
        var task = ended.task();
        return new TaskMessage.TaskPart(
                task.id().value(),
                task.spec().name(),
                task.owner().name(),
                ended.status(),
                ended.attempt().map(one -> one.id().number()).orElse(null),
                orNull(ended.exitCode()),
                ended.error().orElse(null),
                IsoTime.text(task.createdAt()),
                ended.startedAt().map(IsoTime::text).orElse(null),
                ended.finishedAt().map(IsoTime::text).orElse(null),
                ended.waited().map(TaskNote::seconds).orElse(null),
                ended.ran().map(TaskNote::seconds).orElse(null));
    }

    private TaskMessage.UsagePart usage(Consumption used) {
        return new TaskMessage.UsagePart(
                used.peakMib(),
                used.meanMib(),
                orNull(used.peakPercent()),
                orNull(used.meanPercent()),
                seconds(used.watched()),
                orNull(ended.task().spec().statedMib()),
                seconds(ended.cardTime()));
    }

    private static TaskMessage.DiagnosisPart diagnosis(Diagnosis found) {
        return new TaskMessage.DiagnosisPart(found.cause().word(), found.line(), found.params());
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

package dev.berth.server.message;

import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries;
import dev.berth.server.alert.AlertWords;
import dev.berth.server.alert.Language;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes notes of what happened. */
final class Notes {

    private static final int LISTED = 10;

    private final TaskQueries queries;
    private final Phrases phrases;
    private final AlertWords alerts;
    private final Optional<String> publicUrl;

    /**
     * @param publicUrl where people reach the console
     */
    Notes(TaskQueries queries, Language language, Optional<String> publicUrl) {
        this.queries = queries;
        this.phrases = new Phrases(language);
        this.alerts = new AlertWords(language);
        this.publicUrl = publicUrl.map(url -> url.replaceFirst("/+$", ""));
    }

    Note of(Event event) throws StoreFailure {
        return event.kind().isAlert() ? alert(event) : task(event).note();
    }

    private Note alert(Event event) {
        var alert = alerts.of(event);
        var rows = new ArrayList<Note.Row>();
        rows.add(new Note.Row(phrases.of("级别", "Level"), alert.level()));
        rows.add(new Note.Row(phrases.of("类型", "Type"), alert.type()));
        rows.add(new Note.Row(phrases.of("时间", "Time"), alert.at()));
        event.task().ifPresent(id -> rows.add(new Note.Row(phrases.of("任务", "Task"), "#" + id)));
        var link = event.task().isPresent() ? link(event.task()) : page("/ui/gpu");
        return new Note("[" + alert.level() + "] " + alert.message(), rows, link, alert);
    }

    private TaskNote task(Event event) throws StoreFailure {
        var id = event.task().orElseThrow();
        var found =
                queries.find(id)
                        .orElseThrow(() -> new IllegalStateException("there is no task " + id));
        var ended = Ended.of(event, found.task(), queries.attempts(id));
        return new TaskNote(ended, phrases, link(event.task()));
    }

    private Optional<Note.Link> link(Optional<TaskId> task) {
        return task.flatMap(id -> page("/ui/tasks/" + id));
    }

    private Optional<Note.Link> page(String path) {
        return publicUrl.map(
                url -> new Note.Link(phrases.of("在 Berth 中查看", "Show in Berth"), url + path));
    }

    /** One for many. */
    Note digest(List<Event> events) throws StoreFailure {
        var rows = new ArrayList<Note.Row>();
        for (var event : events.subList(0, Math.min(LISTED, events.size()))) {
            var line = event.kind().isAlert() ? alert(event).title() : task(event).line();
            rows.add(new Note.Row("", line));
        }
        int more = events.size() - rows.size();
        if (more > 0) {
            rows.add(new Note.Row("", phrases.of("还有 " + more + " 条", "and " + more + " more")));
        }
        return new Note(summary(events), rows, page("/ui/tasks"), Map.of());
    }

    private String summary(List<Event> events) {
        var parts = new ArrayList<String>();
        count(parts, events, Event.Kind.TASK_COMPLETED);
        count(parts, events, Event.Kind.TASK_FAILED);
        count(parts, events, Event.Kind.TASK_CANCELLED);
        count(parts, events, Event.Kind.TASK_RETRIED);
        long told = events.stream().filter(event -> event.kind().isAlert()).count();
        if (told > 0) {
            parts.add(phrases.of(told + " 条告警", told + (told == 1 ? " alert" : " alerts")));
        }
        return "Berth: " + String.join(phrases.of("，", ", "), parts);
    }

    private void count(List<String> parts, List<Event> events, Event.Kind kind) {
        long number = events.stream().filter(event -> event.kind() == kind).count();
        if (number > 0) {
            var outcome = phrases.outcome(kind);
            parts.add(
                    phrases.of(
                            number + " 个任务" + outcome,
                            number + (number == 1 ? " task " : " tasks ") + outcome));
        }
    }

    /** To see whether anything arrives. */
    Note test(String receiver, Instant now) {
        var words =
                phrases.of(
                        "这是 Berth 发给 " + receiver + " 的测试消息",
                        "This is a test message of Berth to " + receiver);
        return new Note(
                words,
                List.of(new Note.Row(phrases.of("时间", "Time"), now.toString())),
                page("/ui"),
                Map.of("event", "test", "receiver", receiver, "message", words));
    }
}

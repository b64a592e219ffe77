package dev.berth.notify;

import dev.berth.config.receiver.Receiver;
import dev.berth.config.receiver.Topic;
import dev.berth.core.id.TaskId;
import dev.berth.notify.alert.AlertJson;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.TaskAlert;
import dev.berth.port.read.TaskQueries;
import dev.berth.texts.Language;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds notifications from events, in one language. */
final class NotificationBuilder {

    private static final int MAX_LISTED = 10;
    private static final String HIDDEN = "…";

    private final TaskQueries queries;
    private final NotificationTexts texts;
    private final AlertJson alerts;
    private final Optional<String> publicUrl;
    private final Contents contents;

    /** What messages contain of a task. */
    enum Contents {
        /** Everything, for every receiver. */
        ALL,
        /**
         * Exit code, error and log only for receivers of one user: on a server of many users, the
         * members of a chat group must not read each other's logs.
         */
        OWN_WORK,
        /** Neither exit code nor error nor log. */
        NO_WORK
    }

    /**
     * @param publicUrl the URL of the console
     */
    NotificationBuilder(
            TaskQueries queries, Language language, Optional<String> publicUrl, Contents contents) {
        this.contents = contents;
        this.queries = queries;
        this.texts = new NotificationTexts(language);
        this.alerts = new AlertJson(language);
        this.publicUrl = publicUrl.map(url -> url.replaceFirst("/+$", ""));
    }

    /** In the language of the receiver, if it has one of its own, and with what it may see. */
    NotificationBuilder forReceiver(Receiver receiver) {
        var shown =
                switch (contents) {
                    case ALL -> Contents.ALL;
                    case OWN_WORK, NO_WORK ->
                            receiver.users().size() == 1 ? Contents.ALL : Contents.NO_WORK;
                };
        return new NotificationBuilder(
                queries, receiver.language().orElse(texts.language()), publicUrl, shown);
    }

    /** A reason can quote the task's log or directory. */
    private Event shown(Event event) {
        if (contents == Contents.ALL || !(event.payload() instanceof TaskAlert alert)) {
            return event;
        }
        return new Event(
                event.seq(),
                event.at(),
                event.actor(),
                event.via(),
                event.owner(),
                event.task(),
                event.attempt(),
                withoutReason(alert));
    }

    private static TaskAlert withoutReason(TaskAlert alert) {
        return switch (alert) {
            case TaskAlert.CannotStart(var name, _) -> new TaskAlert.CannotStart(name, HIDDEN);
            case TaskAlert.AttemptUnobservable(var name, _, var gpus) ->
                    new TaskAlert.AttemptUnobservable(name, HIDDEN, gpus);
            case TaskAlert.AttemptUnstoppable(var name, _, var gpus) ->
                    new TaskAlert.AttemptUnstoppable(name, HIDDEN, gpus);
            case TaskAlert.GpuReleaseUnverified _,
                    TaskAlert.ProcessesLeft _,
                    TaskAlert.LongWait _,
                    TaskAlert.TaskStalled _,
                    TaskAlert.AttemptFound _,
                    TaskAlert.AttemptReleased _ ->
                    alert;
        };
    }

    Notification of(Event event) throws StoreFailure {
        return event.isAlert() ? alertNote(event) : taskNote(event).build();
    }

    private Notification alertNote(Event event) {
        var alert = alerts.of(shown(event));
        var level = texts.level(event.payload().level().orElseThrow());
        var rows = new ArrayList<Notification.Row>();
        rows.add(texts.row("level", level));
        rows.add(texts.row("type", alert.type()));
        rows.add(texts.row("time", alert.at()));
        event.task().ifPresent(id -> rows.add(texts.row("task", "#" + id)));
        var link = event.task().isPresent() ? taskLink(event.task()) : consoleLink("/ui/gpu");
        return new Notification("[" + level + "] " + alert.message(), rows, link, alert);
    }

    private TaskNotification taskNote(Event event) throws StoreFailure {
        var id = event.task().orElseThrow();
        var found = queries.find(id).orElseThrow(() -> new TaskRemovedException(id));
        var ended = EndedTask.of(event, found.task(), queries.attempts(id));
        return new TaskNotification(ended, texts, taskLink(event.task()), contents == Contents.ALL);
    }

    private Optional<Notification.Link> taskLink(Optional<TaskId> task) {
        return task.flatMap(id -> consoleLink("/ui/tasks/" + id));
    }

    private Optional<Notification.Link> consoleLink(String path) {
        return publicUrl.map(url -> new Notification.Link(texts.text("link"), url + path));
    }

    /** The task was removed before its end was sent. */
    static final class TaskRemovedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TaskRemovedException(TaskId id) {
            super("task " + id + " was removed");
        }
    }

    private String digestLine(Event event) throws StoreFailure {
        try {
            return event.isAlert() ? alertNote(event).title() : taskNote(event).digestLine();
        } catch (TaskRemovedException removed) {
            return "#" + event.task().orElseThrow();
        }
    }

    /** One notification for several events. */
    Notification digest(List<Event> events) throws StoreFailure {
        var rows = new ArrayList<Notification.Row>();
        for (var event : events.subList(0, Math.min(MAX_LISTED, events.size()))) {
            rows.add(new Notification.Row("", digestLine(event)));
        }
        int more = events.size() - rows.size();
        if (more > 0) {
            var count = Map.of("count", Integer.toString(more));
            rows.add(new Notification.Row("", texts.text("digest.more", count)));
        }
        return new Notification(summary(events), rows, consoleLink("/ui/tasks"), Map.of());
    }

    private String summary(List<Event> events) {
        var parts = new ArrayList<String>();
        for (var topic :
                List.of(
                        Topic.TASK_COMPLETED,
                        Topic.TASK_FAILED,
                        Topic.TASK_CANCELLED,
                        Topic.TASK_RETRIED)) {
            long count =
                    events.stream()
                            .flatMap(event -> TopicFilter.topicOf(event.payload()).stream())
                            .filter(one -> one == topic)
                            .count();
            addCount(parts, topic.configName(), count);
        }
        addCount(parts, "alerts", events.stream().filter(Event::isAlert).count());
        return texts.text("digest", Map.of("parts", String.join(", ", parts)));
    }

    private void addCount(List<String> parts, String what, long count) {
        if (count > 0) {
            parts.add(texts.text("digest." + what, Map.of("count", Long.toString(count))));
        }
    }

    /** A test notification. */
    Notification test(String receiver, Instant now) {
        var text = texts.text("test", Map.of("receiver", receiver));
        return new Notification(
                text,
                List.of(texts.row("time", now.toString())),
                consoleLink("/ui"),
                Map.of("event", "test", "receiver", receiver, "message", text));
    }
}

package dev.berth.server.api;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskId;
import dev.berth.engine.State;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.TaskQueries.TaskRecord;
import dev.berth.server.alert.AlertWords;
import dev.berth.server.stream.Message;
import dev.berth.wire.AlertEvent;
import dev.berth.wire.EventInfo;
import dev.berth.wire.QueueInfo;
import dev.berth.wire.TaskEvent;
import dev.berth.wire.TaskSummary;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Events as they travel. */
final class EventWords {

    private static final byte[] UNTOLD = new byte[0];

    private final Desk desk;
    private final TaskWords words;
    private final AlertWords alerts;

    EventWords(Desk desk, AlertWords alerts) {
        this.desk = desk;
        this.alerts = alerts;
        this.words = new TaskWords(desk);
    }

    static EventInfo info(Event event) {
        return new EventInfo(
                event.seq(),
                Times.text(event.at()),
                event.actor().name(),
                event.kind().word(),
                event.task().map(TaskId::value).orElse(null),
                event.attempt().map(AttemptId::number).orElse(null),
                event.data());
    }

    /** Each task is looked up once, however much has happened to it. */
    NavigableMap<Long, byte[]> messages(List<Event> events) throws StoreFailure {
        var messages = new TreeMap<Long, byte[]>();
        var tasks = new HashMap<TaskId, Optional<TaskSummary>>();
        for (var event : events) {
            messages.put(event.seq(), message(event, tasks));
        }
        return messages;
    }

    private byte[] message(Event event, Map<TaskId, Optional<TaskSummary>> tasks)
            throws StoreFailure {
        if (event.kind().isAlert()) {
            return Message.of("alert", event.seq(), told(event));
        }
        if (event.task().isEmpty()) {
            return UNTOLD;
        }
        var id = event.task().get();
        if (!tasks.containsKey(id)) {
            tasks.put(id, summary(id));
        }
        return tasks.get(id)
                .map(task -> Message.of("task", event.seq(), told(event, id, task)))
                .orElse(UNTOLD);
    }

    private AlertEvent told(Event event) {
        var alert = alerts.of(event);
        return new AlertEvent(
                alert.id(),
                alert.at(),
                alert.level(),
                alert.type(),
                alert.message(),
                alert.details(),
                alert.taskId(),
                event.seq(),
                event.kind().word(),
                event.actor().name(),
                event.attempt().map(AttemptId::number).orElse(null),
                event.data());
    }

    private static TaskEvent told(Event event, TaskId id, TaskSummary task) {
        return new TaskEvent(
                event.seq(),
                Times.text(event.at()),
                event.kind().word(),
                event.actor().name(),
                id.value(),
                event.attempt().map(AttemptId::number).orElse(null),
                event.data(),
                task);
    }

    private Optional<TaskSummary> summary(TaskId id) throws StoreFailure {
        var state = desk.engine().state();
        var live = state.tasks().get(id).flatMap(task -> live(task, state));
        return (live.isPresent() ? live : desk.queries().find(id)).map(words::summary);
    }

    /** From memory, where that knows all of it. */
    private static Optional<TaskRecord> live(Task task, State state) {
        if (task.attempts() == 0) {
            return Optional.of(new TaskRecord(task, Optional.empty()));
        }
        return state.attempts()
                .get(new AttemptId(task.id(), task.attempts()))
                .map(attempt -> new TaskRecord(task, Optional.of(attempt)));
    }

    QueueInfo queue() {
        var state = desk.engine().state();
        int queued = state.waiting().size();
        return new QueueInfo(
                queued,
                state.tasks().size() - queued - state.drafts().total(),
                desk.engine().engine().paused().isEmpty());
    }
}

package dev.berth.server.api.event;

import dev.berth.core.access.Via;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineState;
import dev.berth.json.IsoTime;
import dev.berth.notify.alert.AlertJson;
import dev.berth.port.Event;
import dev.berth.port.StoreFailure;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.event.WorkerPayload;
import dev.berth.port.read.TaskQueries;
import dev.berth.port.read.TaskQueries.TaskRecord;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.task.TaskJson;
import dev.berth.server.stream.SseMessage;
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

/** Converts events to JSON. */
public final class EventJson {

    private static final byte[] NOT_SENT = new byte[0];
    private final EngineClient engine;
    private final TaskQueries queries;
    private final TaskJson words;
    private final AlertJson alerts;

    public EventJson(EngineClient engine, TaskQueries queries, TaskJson words, AlertJson alerts) {
        this.engine = engine;
        this.queries = queries;
        this.words = words;
        this.alerts = alerts;
    }

    public static EventInfo info(Event event) {
        return new EventInfo(
                event.seq(),
                IsoTime.format(event.at()),
                event.actor().name(),
                event.kind(),
                event.task().map(TaskId::value).orElse(null),
                event.attempt().map(AttemptId::number).orElse(null),
                EventCodec.fieldsOf(event.payload()),
                event.via().map(Via::label).orElse(null),
                event.owner().map(Owner::name).orElse(null));
    }

    /** Each task is looked up once, however many of its events are in the page. */
    public NavigableMap<Long, byte[]> messages(List<Event> events) throws StoreFailure {
        var messages = new TreeMap<Long, byte[]>();
        var tasks = new HashMap<TaskId, Optional<TaskSummary>>();
        for (var event : events) {
            messages.put(event.seq(), message(event, tasks));
        }
        return messages;
    }

    private byte[] message(Event event, Map<TaskId, Optional<TaskSummary>> tasks)
            throws StoreFailure {
        if (event.isAlert()) {
            return SseMessage.of("alert", event.seq(), json(event));
        }
        if (event.payload() instanceof TaskPayload.TasksRemoved) {
            return SseMessage.of("removed", event.seq(), info(event));
        }
        if (event.task().isEmpty() && event.payload() instanceof WorkerPayload) {
            return SseMessage.of("model", event.seq(), info(event));
        }
        if (event.task().isEmpty()) {
            return NOT_SENT;
        }
        var id = event.task().get();
        if (!tasks.containsKey(id)) {
            tasks.put(id, summary(id));
        }
        return tasks.get(id)
                .map(task -> SseMessage.of("task", event.seq(), json(event, id, task)))
                .orElse(NOT_SENT);
    }

    private AlertEvent json(Event event) {
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
                event.kind(),
                event.actor().name(),
                event.attempt().map(AttemptId::number).orElse(null),
                EventCodec.fieldsOf(event.payload()));
    }

    private static TaskEvent json(Event event, TaskId id, TaskSummary task) {
        return new TaskEvent(
                event.seq(),
                IsoTime.format(event.at()),
                event.kind(),
                event.actor().name(),
                id.value(),
                event.attempt().map(AttemptId::number).orElse(null),
                EventCodec.fieldsOf(event.payload()),
                task);
    }

    private Optional<TaskSummary> summary(TaskId id) throws StoreFailure {
        var state = engine.state();
        var live = state.tasks().get(id).flatMap(task -> live(task, state));
        return (live.isPresent() ? live : queries.find(id)).map(words::summary);
    }

    /** From memory, if the engine holds both the task and its attempt. */
    private static Optional<TaskRecord> live(Task task, EngineState state) {
        if (task.attempts() == 0) {
            return Optional.of(new TaskRecord(task, Optional.empty()));
        }
        return state.attempts()
                .get(new AttemptId(task.id(), task.attempts()))
                .map(attempt -> new TaskRecord(task, Optional.of(attempt)));
    }

    public QueueInfo queue() {
        var state = engine.state();
        int queued = state.waiting().size();
        return new QueueInfo(queued, state.running(), engine.engine().pause().isEmpty());
    }
}

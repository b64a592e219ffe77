package dev.berth.server.api.event;

import dev.berth.core.access.Via;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.engine.EngineState;
import dev.berth.http.Caller;
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
import dev.berth.server.api.TaskAccess;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.api.task.TaskJson;
import dev.berth.server.stream.EventMessage;
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

    private static final byte[] NOTHING = new byte[0];
    private final EngineClient engine;
    private final TaskQueries queries;
    private final TaskJson words;
    private final AlertJson alerts;
    private final TaskAccess.View others;

    public EventJson(TaskLookup lookup, TaskJson words, AlertJson alerts) {
        this.engine = lookup.engine();
        this.queries = lookup.queries();
        this.others = lookup.access().others();
        this.words = words;
        this.alerts = alerts;
    }

    /** The whole event, for its owner and for admins. */
    public static EventInfo info(Event event) {
        return info(event, EventCodec.fieldsOf(event.payload()));
    }

    /** The event as this caller may see it. */
    static EventInfo info(Event event, Caller caller) {
        return info(event, EventAccess.fields(caller, event));
    }

    private static EventInfo info(Event event, Map<String, String> fields) {
        return new EventInfo(
                event.seq(),
                IsoTime.format(event.at()),
                event.actor().name(),
                event.kind(),
                event.task().map(TaskId::value).orElse(null),
                event.attempt().map(AttemptId::number).orElse(null),
                fields,
                event.via().map(Via::label).orElse(null),
                event.owner().map(Owner::name).orElse(null));
    }

    /** Each task is looked up once, however many of its events are in the page. */
    public NavigableMap<Long, EventMessage> messages(List<Event> events) throws StoreFailure {
        var messages = new TreeMap<Long, EventMessage>();
        var tasks = new HashMap<TaskId, Optional<ShownTask>>();
        for (var event : events) {
            messages.put(event.seq(), message(event, tasks));
        }
        return messages;
    }

    /** A task as its owner sees it, and as others do. */
    private record ShownTask(Owner owner, TaskSummary whole, TaskSummary forOthers) {}

    private EventMessage message(Event event, Map<TaskId, Optional<ShownTask>> tasks)
            throws StoreFailure {
        if (event.isAlert()) {
            var bytes = SseMessage.of("alert", event.seq(), alert(event));
            return EventAccess.isPublic(event.payload())
                    ? EventMessage.ofEveryone(bytes)
                    : new EventMessage(event.owner(), bytes, NOTHING);
        }
        if (event.payload() instanceof TaskPayload.TasksRemoved) {
            return inBothForms("removed", event);
        }
        if (event.task().isEmpty() && event.payload() instanceof WorkerPayload) {
            return inBothForms("model", event);
        }
        if (event.task().isEmpty()) {
            return EventMessage.NOT_SENT;
        }
        var id = event.task().get();
        if (!tasks.containsKey(id)) {
            tasks.put(id, shown(id));
        }
        return tasks.get(id).map(task -> message(event, id, task)).orElse(EventMessage.NOT_SENT);
    }

    private static EventMessage inBothForms(String name, Event event) {
        var whole = EventCodec.fieldsOf(event.payload());
        var forOthers = EventAccess.publicFields(event.payload());
        var bytes = SseMessage.of(name, event.seq(), info(event, whole));
        return new EventMessage(
                event.owner(),
                bytes,
                whole.equals(forOthers)
                        ? bytes
                        : SseMessage.of(name, event.seq(), info(event, forOthers)));
    }

    private static EventMessage message(Event event, TaskId id, ShownTask task) {
        var whole = EventCodec.fieldsOf(event.payload());
        var forOthers = EventAccess.publicFields(event.payload());
        return new EventMessage(
                Optional.of(task.owner()),
                SseMessage.of("task", event.seq(), json(event, id, whole, task.whole())),
                SseMessage.of("task", event.seq(), json(event, id, forOthers, task.forOthers())));
    }

    private AlertEvent alert(Event event) {
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

    private static TaskEvent json(
            Event event, TaskId id, Map<String, String> fields, TaskSummary task) {
        return new TaskEvent(
                event.seq(),
                IsoTime.format(event.at()),
                event.kind(),
                event.actor().name(),
                id.value(),
                event.attempt().map(AttemptId::number).orElse(null),
                fields,
                task);
    }

    private Optional<ShownTask> shown(TaskId id) throws StoreFailure {
        var state = engine.state();
        var live = state.tasks().get(id).flatMap(task -> live(task, state));
        return (live.isPresent() ? live : queries.find(id))
                .map(
                        found ->
                                new ShownTask(
                                        found.task().owner(),
                                        words.summary(found),
                                        words.summary(found, others)));
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
        int queued = state.waiting().size() + state.handed();
        return new QueueInfo(queued, state.running(), engine.engine().pause().isEmpty());
    }
}

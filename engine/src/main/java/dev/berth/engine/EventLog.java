package dev.berth.engine;

import dev.berth.core.id.TaskId;
import dev.berth.core.queue.QueueId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.port.Change;
import dev.berth.port.Event;
import dev.berth.port.event.EventCodec;
import dev.berth.port.event.TaskPayload;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * Writes one log line for every committed event. The lines of a task also name the queue that it
 * entered, or the GPUs that it had and the reason.
 */
final class EventLog {

    /** Without SLF4J, which takes the stack trace of the caller for each line. */
    private static final Logger log = Logger.getLogger(Engine.class.getName());

    private final EngineState state;
    private final Map<TaskId, Task> tasks = new TreeMap<>();
    private final Map<TaskId, Attempt> ended = new TreeMap<>();

    private EventLog(EngineState state) {
        this.state = state;
    }

    /**
     * @param state after these changes
     */
    static void write(List<Change> changes, EngineState state) {
        var lines = new EventLog(state);
        for (var change : changes) {
            if (change instanceof Change.TaskSaved(Task task)) {
                lines.tasks.put(task.id(), task);
            } else if (change instanceof Change.AttemptSaved(Attempt attempt)
                    && !attempt.isLive()) {
                lines.ended.put(attempt.id().task(), attempt);
            }
        }
        for (var change : changes) {
            if (change instanceof Change.EventAdded(Event event)) {
                lines.write(event);
            }
        }
    }

    private void write(Event event) {
        var level = event.payload().isWarning() ? Level.WARNING : Level.INFO;
        if (!log.isLoggable(level)) {
            return;
        }
        var entry =
                new LogRecord(
                        level,
                        event.kind()
                                + " task="
                                + event.task().map(TaskId::toString).orElse("-")
                                + " attempt="
                                + event.attempt()
                                        .map(id -> Integer.toString(id.number()))
                                        .orElse("-")
                                + " by="
                                + event.actor().name()
                                + " "
                                + fields(event));
        entry.setLoggerName(log.getName());
        log.log(entry);
    }

    private SortedMap<String, String> fields(Event event) {
        var fields = new TreeMap<>(EventCodec.fieldsOf(event.payload()));
        var task = event.task().map(tasks::get).orElse(null);
        if (task == null || !(event.payload() instanceof TaskPayload payload)) {
            return fields;
        }
        var attempt = ended.get(task.id());
        switch (payload) {
            case TaskPayload.TaskSubmitted _, TaskPayload.TaskQueued _ -> addQueue(fields, task);
            case TaskPayload.TaskRequeued _, TaskPayload.TaskRetried _ -> {
                addQueue(fields, task);
                addEnd(fields, attempt);
            }
            case TaskPayload.TaskCompleted _,
                    TaskPayload.TaskFailed _,
                    TaskPayload.TaskCancelled _ -> {
                addEnd(fields, attempt);
                if (task.state() instanceof TaskState.Failed(_, String error)) {
                    fields.put("reason", error);
                }
            }
            case TaskPayload.TaskDrafted _,
                    TaskPayload.TaskChanged _,
                    TaskPayload.TasksRemoved _,
                    TaskPayload.EstimateRaised _ -> {}
        }
        return fields;
    }

    /** For a task that names its GPUs, the queue has their indices. */
    private static void addQueue(Map<String, String> fields, Task task) {
        fields.put("queue", QueueId.of(task).name());
    }

    private void addEnd(Map<String, String> fields, @Nullable Attempt attempt) {
        if (attempt == null) {
            return;
        }
        var gpus = state.gpuIndices(attempt);
        if (!gpus.isEmpty()) {
            fields.put("gpus", gpus.stream().map(String::valueOf).collect(Collectors.joining(",")));
        }
        Optional<String> error = attempt.errorText();
        error.ifPresent(why -> fields.put("reason", why));
    }
}

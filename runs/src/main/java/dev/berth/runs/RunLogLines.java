package dev.berth.runs;

import dev.berth.core.id.TaskId;
import dev.berth.port.Event;
import dev.berth.port.event.AccessPayload;
import dev.berth.port.event.AlertPayload;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.FileRunPayload;
import dev.berth.port.event.ReservationPayload;
import dev.berth.port.event.ServerPayload;
import dev.berth.port.event.TaskPayload;
import dev.berth.port.event.UnknownPayload;
import dev.berth.port.event.WorkerPayload;
import dev.berth.wire.FileProblem;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Formats events of a run and its tasks as log lines. Commands are private to their owner and never
 * appear.
 */
final class RunLogLines {

    private RunLogLines() {}

    /**
     * The log line of an event; empty for events that are not logged. The time of each logged event
     * is also in the run's state file, so that a new server knows which ones are already logged.
     *
     * @param queues the lane of each task of the run
     */
    static Optional<String> lineOf(Event event, Map<Long, String> queues) {
        var task = event.task().map(id -> task(id, queues)).orElse("");
        var actor = event.actor().name();
        return switch (event.payload()) {
            case FileRunPayload run -> Optional.of(lineOf(run, actor));
            case AttemptPayload.AttemptScheduled scheduled ->
                    Optional.of(task + " starts" + gpuText(scheduled));
            case AttemptPayload.AttemptEnded ended ->
                    failureReason(ended).map(why -> task + " ended: " + why);
            case TaskPayload payload -> outcome(payload).map(text -> task + text);
            case AttemptPayload _,
                    ServerPayload _,
                    AccessPayload _,
                    ReservationPayload _,
                    WorkerPayload _,
                    AlertPayload _,
                    UnknownPayload _ ->
                    Optional.empty();
        };
    }

    private static String lineOf(FileRunPayload payload, String actor) {
        return switch (payload) {
            case FileRunPayload.FileRunStarted(_, _, var file, int tasks) ->
                    "started by " + actor + ": " + file + ", " + tasks(tasks);
            case FileRunPayload.FileRunStopping _ -> "is stopped by " + actor;
            case FileRunPayload.FileRunEnded(_, boolean wasStopped) ->
                    wasStopped ? "stopped" : "finished";
        };
    }

    private static Optional<String> outcome(TaskPayload payload) {
        return Optional.ofNullable(
                switch (payload) {
                    case TaskPayload.TaskRetried(int retry, var until, _) ->
                            " is tried again (retry "
                                    + retry
                                    + ")"
                                    + until.map(then -> " after a rest until " + then).orElse("");
                    case TaskPayload.TaskRequeued _ -> " never ran and waits again";
                    case TaskPayload.TaskCompleted _ -> " completed";
                    case TaskPayload.TaskFailed _ -> " failed";
                    case TaskPayload.TaskCancelled _ -> " cancelled";
                    case TaskPayload.TaskSubmitted _,
                            TaskPayload.TaskDrafted _,
                            TaskPayload.TaskQueued _,
                            TaskPayload.TaskChanged _,
                            TaskPayload.TasksRemoved _,
                            TaskPayload.EstimateRaised _ ->
                            null;
                });
    }

    static String lineOf(FileProblem problem) {
        return "line " + problem.line() + " is left out: " + problem.detail();
    }

    private static String task(TaskId id, Map<Long, String> queues) {
        var queue = queues.get(id.value());
        return "task " + id + (queue == null ? "" : " (queue " + queue + ")");
    }

    private static String tasks(int count) {
        return count + (count == 1 ? " task" : " tasks");
    }

    private static String gpuText(AttemptPayload.AttemptScheduled scheduled) {
        var gpus = scheduled.gpus().stream().map(String::valueOf).collect(Collectors.joining(", "));
        return (gpus.isEmpty() ? "" : " on GPU " + gpus)
                + (scheduled.leavesTooFewIdle()
                        ? " (gpu_left not kept: it cannot do with fewer)"
                        : "");
    }

    private static Optional<String> failureReason(AttemptPayload.AttemptEnded ended) {
        var code = ended.exitCode();
        if (code.isEmpty()) {
            return ended.reason();
        }
        return code.getAsInt() == 0
                ? Optional.empty()
                : Optional.of("exit code " + code.getAsInt());
    }
}

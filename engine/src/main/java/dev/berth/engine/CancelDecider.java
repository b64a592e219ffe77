package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.core.task.TaskTransition;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.TaskPayload;

/** Cancels tasks. */
final class CancelDecider {

    private CancelDecider() {}

    static EngineReply decide(Decision decision, EngineCommand.Cancel cancel) {
        var found = decision.state().tasks().get(cancel.task());
        if (found.isEmpty()) {
            return new EngineReply.Refused(
                    Rejected.conflict("task.finished").with("task", cancel.task()));
        }
        var task = found.get();
        return switch (task.state()) {
            case TaskState.Pending _, TaskState.Queued _ -> cancelWaiting(decision, cancel, task);
            case TaskState.Handed(int number) ->
                    cancelRunning(decision, cancel, new AttemptId(task.id(), number));
            case TaskState.Running(int number) ->
                    cancelRunning(decision, cancel, new AttemptId(task.id(), number));
            case TaskState.Completed _, TaskState.Failed _, TaskState.Cancelled _ ->
                    throw new IllegalStateException(
                            "a finished task is not kept in memory: " + task.id());
        };
    }

    private static EngineReply cancelWaiting(
            Decision decision, EngineCommand.Cancel cancel, Task task) {
        decision.save(task.after(new TaskTransition.Cancel(cancel.at())));
        decision.addEvent(cancel.actor(), task.id(), new TaskPayload.TaskCancelled());
        FileRunDecider.endIfDone(decision, task);
        return new EngineReply.TaskAccepted(task.id(), false);
    }

    private static EngineReply cancelRunning(
            Decision decision, EngineCommand.Cancel cancel, AttemptId id) {
        Attempt attempt = decision.state().attempts().get(id).orElseThrow();
        if (attempt.isWorker()) {
            return new EngineReply.Refused(
                    Rejected.conflict("task.is_worker").with("task", id.task()));
        }
        if (attempt.phase() instanceof Phase.Stopping(_, StopCause cause, _)
                && cause == StopCause.CANCELLED) {
            return new EngineReply.TaskAccepted(id.task(), true);
        }
        decision.save(attempt.after(new PhaseTransition.Stop(StopCause.CANCELLED, cancel.at())));
        decision.addEvent(
                cancel.actor(), id, new AttemptPayload.AttemptStopping(StopCause.CANCELLED));
        decision.addEffect(new Effect.Stop(id));
        return new EngineReply.TaskAccepted(id.task(), false);
    }
}

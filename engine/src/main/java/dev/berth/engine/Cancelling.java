package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseMove;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskMove;
import dev.berth.core.task.TaskState;
import dev.berth.engine.port.Event;

import java.util.Map;

/** Ends tasks that somebody no longer wants. */
final class Cancelling {

    private Cancelling() {}

    static Reply decide(Draft draft, Command.Cancel cancel) {
        var found = draft.state().tasks().get(cancel.task());
        if (found.isEmpty()) {
            return new Reply.Refused(
                    Rejected.conflict(
                            "task.finished",
                            "Task "
                                    + cancel.task()
                                    + " has already finished; there is nothing to cancel."));
        }
        var task = found.get();
        return switch (task.state()) {
            case TaskState.Pending _, TaskState.Queued _ -> waiting(draft, cancel, task);
            case TaskState.Running(int number) ->
                    running(draft, cancel, new AttemptId(task.id(), number));
            case TaskState.Completed _, TaskState.Failed _, TaskState.Cancelled _ ->
                    throw new IllegalStateException(
                            "a finished task is not kept in memory: " + task.id());
        };
    }

    private static Reply waiting(Draft draft, Command.Cancel cancel, Task task) {
        draft.save(task.after(new TaskMove.Cancel(cancel.at())));
        draft.happened(Event.Kind.TASK_CANCELLED, cancel.actor(), task.id(), Map.of());
        RunningFiles.settle(draft, task);
        return new Reply.Granted(task.id(), false);
    }

    private static Reply running(Draft draft, Command.Cancel cancel, AttemptId id) {
        Attempt attempt = draft.state().attempts().get(id).orElseThrow();
        if (attempt.phase() instanceof Phase.Stopping(_, StopCause cause, _)
                && cause == StopCause.CANCELLED) {
            return new Reply.Granted(id.task(), true);
        }
        draft.save(attempt.after(new PhaseMove.Stop(StopCause.CANCELLED, cancel.at())));
        draft.happened(
                Event.Kind.ATTEMPT_STOPPING, cancel.actor(), id, Map.of("cause", "cancelled"));
        draft.act(new Effect.Stop(id));
        return new Reply.Granted(id.task(), false);
    }
}

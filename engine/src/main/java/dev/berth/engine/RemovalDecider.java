package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskId;
import dev.berth.core.id.TaskRanges;
import dev.berth.port.Change;
import dev.berth.port.event.TaskPayload;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Removes ended tasks: all of a request or none. */
public final class RemovalDecider {

    private RemovalDecider() {}

    static EngineReply decide(Decision decision, EngineCommand.RemoveTasks remove) {
        var refusal = refusal(decision.state(), remove.tasks());
        if (refusal.isPresent()) {
            return new EngineReply.Refused(refusal.get());
        }
        if (!remove.tasks().isEmpty()) {
            remove.tasks().forEach(id -> decision.save(new Change.TaskRemoved(id)));
            decision.addEvent(
                    remove.actor(), new TaskPayload.TasksRemoved(TaskRanges.of(remove.tasks())));
        }
        return new EngineReply.Done();
    }

    /**
     * Why some of these tasks cannot be removed. A task that could be removed once can be removed
     * for ever: an ended task, attempt or run never goes on.
     */
    public static Optional<Rejected> refusal(EngineState state, List<TaskId> tasks) {
        return tasks.stream().flatMap(id -> refusal(state, id).stream()).findFirst();
    }

    private static Optional<Rejected> refusal(EngineState state, TaskId id) {
        var live = state.tasks().get(id);
        if (live.isPresent()) {
            return Optional.of(
                    Rejected.conflict("task.not_ended")
                            .with("task", id)
                            .with("status", live.get().state().apiName()));
        }
        return runs(state)
                .filter(run -> isOf(run, id))
                .findFirst()
                .map(
                        run ->
                                Rejected.conflict("task.run_not_ended")
                                        .with("task", id)
                                        .with("run", run.id()));
    }

    private static Stream<FileRun> runs(EngineState state) {
        return state.durable().fileRuns().values();
    }

    private static boolean isOf(FileRun run, TaskId id) {
        return id.compareTo(run.firstTask()) >= 0 && id.compareTo(run.endTask()) < 0;
    }
}

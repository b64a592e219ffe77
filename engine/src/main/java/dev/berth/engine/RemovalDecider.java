package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.commandfile.FileRun;
import dev.berth.core.id.TaskId;
import dev.berth.core.id.TaskRanges;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineCommand.OwnedTask;
import dev.berth.port.Change;
import dev.berth.port.event.TaskPayload;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Removes ended tasks: all of a request or none. */
public final class RemovalDecider {

    private RemovalDecider() {}

    static EngineReply decide(Decision decision, EngineCommand.RemoveTasks remove) {
        var ids = remove.tasks().stream().map(OwnedTask::id).toList();
        var refusal = refusal(decision.state(), ids);
        if (refusal.isPresent()) {
            return new EngineReply.Refused(refusal.get());
        }
        ids.forEach(id -> decision.save(new Change.TaskRemoved(id)));
        byOwner(remove.tasks())
                .forEach(
                        (owner, tasks) ->
                                decision.addEvent(
                                        remove.actor(),
                                        owner,
                                        new TaskPayload.TasksRemoved(TaskRanges.of(tasks))));
        return new EngineReply.Done();
    }

    /** One event for each owner, so that owners learn what happened to their own tasks. */
    private static Map<Owner, List<TaskId>> byOwner(List<OwnedTask> tasks) {
        return tasks.stream()
                .collect(
                        Collectors.groupingBy(
                                OwnedTask::owner,
                                LinkedHashMap::new,
                                Collectors.mapping(OwnedTask::id, Collectors.toList())));
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

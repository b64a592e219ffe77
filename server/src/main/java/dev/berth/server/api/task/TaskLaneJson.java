package dev.berth.server.api.task;

import dev.berth.core.lane.Lane;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.EngineState;
import dev.berth.json.IsoTime;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.TaskLane;

import org.jspecify.annotations.Nullable;

import java.util.OptionalInt;

/** Converts a task's lane and retries to JSON. */
public final class TaskLaneJson {

    private TaskLaneJson() {}

    static TaskLane of(Task task, EngineClient engine) {
        var spec = task.spec();
        var run = spec.fileRunLane().map(Lane.OfFileRun::run);
        return new TaskLane(
                spec.options().lane().map(Lane::apiName).orElse(null),
                run.orElse(null),
                run.isPresent() ? task.uniId() : null,
                task.retries(),
                maxRetries(spec, engine),
                backoffUntil(task, engine.state()));
    }

    private static @Nullable Integer maxRetries(TaskSpec spec, EngineClient engine) {
        var most = OptionalInt.of(0);
        if (spec.options().maxRetries().isPresent()) {
            most = spec.options().maxRetries();
        } else if (spec.fileRunLane().isPresent()) {
            most = engine.engine().attemptSettings().maxRetries();
        }
        return most.isPresent() ? most.getAsInt() : null;
    }

    /** The engine decides, not the clock: the engine also ends a backoff. */
    public static @Nullable String backoffUntil(Task task, EngineState state) {
        return state.waiting().isDelayed(task)
                ? task.notBefore().map(IsoTime::format).orElse(null)
                : null;
    }
}

package dev.berth.server.api;

import dev.berth.core.task.Lane;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.engine.State;

import org.jspecify.annotations.Nullable;

import java.util.OptionalInt;

/**
 * A task's lane and retries, as they travel.
 *
 * @param word null where it is in no lane
 * @param run null where it is no command file's
 * @param uniId the same
 * @param maxRetries null where there is no end of them
 * @param backoffUntil null where it does not rest
 */
record LaneWords(
        @Nullable String word,
        @Nullable Long run,
        @Nullable String uniId,
        @Nullable Integer maxRetries,
        @Nullable String backoffUntil) {

    static LaneWords of(Task task, Desk desk) {
        var spec = task.spec();
        var run = spec.ofRun().map(Lane.OfRun::run);
        return new LaneWords(
                spec.lane().map(Lane::word).orElse(null),
                run.orElse(null),
                run.isPresent() ? task.uniId() : null,
                maxRetries(spec, desk),
                backoffUntil(task, desk.engine().state()));
    }

    private static @Nullable Integer maxRetries(TaskSpec spec, Desk desk) {
        var most = OptionalInt.of(0);
        if (spec.mostRetries().isPresent()) {
            most = spec.mostRetries();
        } else if (spec.ofRun().isPresent()) {
            most = desk.engine().engine().tuning().mostRetries();
        }
        return most.isPresent() ? most.getAsInt() : null;
    }

    /** By the engine's word, which also ends a rest, and not by the clock. */
    static @Nullable String backoffUntil(Task task, State state) {
        return state.waiting().isResting(task)
                ? task.notBefore().map(Times::text).orElse(null)
                : null;
    }
}

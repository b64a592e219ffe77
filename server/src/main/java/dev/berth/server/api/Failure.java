package dev.berth.server.api;

import dev.berth.core.diagnosis.Cause;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Said;
import dev.berth.core.task.TaskState;
import dev.berth.engine.port.TaskQueries.TaskRecord;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/**
 * What went wrong with a task: for good, or so far where it is tried again.
 *
 * @param error for people
 * @param type in one word, for programs
 */
record Failure(@Nullable String error, @Nullable String type) {

    private static final Failure NONE = new Failure(null, null);

    static Failure of(TaskRecord found) {
        var latest = found.latest();
        return switch (found.task().state()) {
            case TaskState.Pending _, TaskState.Completed _, TaskState.Cancelled _ -> NONE;
            case TaskState.Queued _ ->
                    found.task().retries() > 0
                            ? new Failure(
                                    latest.flatMap(Attempt::trouble).orElse(null), type(latest))
                            : NONE;
            case TaskState.Running _ -> new Failure(null, type(latest));
            case TaskState.Failed(_, String error) -> new Failure(error, type(latest));
        };
    }

    /** Its script knows best; what the shell made of it comes second. */
    private static @Nullable String type(Optional<Attempt> latest) {
        var said = latest.flatMap(Attempt::said).filter(word -> !word.isWell());
        return said.flatMap(Said::errorType)
                .or(() -> latest.flatMap(Failure::cause))
                .or(
                        () ->
                                latest.flatMap(Failure::ending)
                                        .map(Ending::errorType)
                                        .filter(type -> !type.isEmpty()))
                .orElse(null);
    }

    /** Where Berth is sure of it, that says more than what the shell made of it. */
    private static Optional<String> cause(Attempt attempt) {
        return attempt.findings()
                .diagnosis()
                .map(Diagnosis::cause)
                .filter(cause -> cause == Cause.OOM || cause == Cause.GPU_HARDWARE)
                .map(Cause::word);
    }

    private static Optional<Ending> ending(Attempt attempt) {
        return attempt.phase() instanceof Phase.Ended(_, Ending ending, _)
                ? Optional.of(ending)
                : Optional.empty();
    }
}

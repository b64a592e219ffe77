package dev.berth.server.api.task;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ScriptReport;
import dev.berth.core.task.TaskState;
import dev.berth.findings.diagnosis.Cause;
import dev.berth.findings.diagnosis.Diagnosis;
import dev.berth.http.Sentences;
import dev.berth.port.read.TaskQueries.TaskRecord;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/**
 * Why a task failed: finally, or in its latest attempt if it is retried.
 *
 * @param error for people, in the language of the request
 * @param type one word for programs
 */
public record TaskFailure(@Nullable String error, @Nullable String type) {

    private static final TaskFailure NONE = new TaskFailure(null, null);

    public static TaskFailure of(TaskRecord found) {
        var latest = found.latest();
        return switch (found.task().state()) {
            case TaskState.Pending _, TaskState.Completed _, TaskState.Cancelled _ -> NONE;
            case TaskState.Queued _, TaskState.Handed _ ->
                    found.task().retries() > 0
                            ? new TaskFailure(
                                    latest.flatMap(Attempt::errorText)
                                            .map(Sentences::stored)
                                            .orElse(null),
                                    type(latest))
                            : NONE;
            case TaskState.Running _ -> new TaskFailure(null, type(latest));
            case TaskState.Failed(_, String error) ->
                    new TaskFailure(Sentences.stored(error), type(latest));
        };
    }

    /** The script's own report takes precedence over the exit status. */
    private static @Nullable String type(Optional<Attempt> latest) {
        var report = latest.flatMap(Attempt::scriptReport).filter(word -> !word.isSuccess());
        return report.flatMap(ScriptReport::errorType)
                .or(() -> latest.flatMap(TaskFailure::cause))
                .or(
                        () ->
                                latest.flatMap(TaskFailure::ending)
                                        .map(Ending::errorType)
                                        .filter(type -> !type.isEmpty()))
                .orElse(null);
    }

    /** A certain diagnosis takes precedence over the exit status. */
    private static Optional<String> cause(Attempt attempt) {
        return attempt.findings()
                .diagnosis()
                .map(Diagnosis::cause)
                .filter(cause -> cause == Cause.OOM || cause == Cause.GPU_HARDWARE)
                .map(Cause::code);
    }

    private static Optional<Ending> ending(Attempt attempt) {
        return attempt.phase() instanceof Phase.Ended(_, Ending ending, _)
                ? Optional.of(ending)
                : Optional.empty();
    }
}

package dev.berth.notify;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.ShimProcess;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.port.Event;
import dev.berth.port.event.TaskPayload;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A task that ended or is retried, as of one event.
 *
 * @param attempt the last attempt that had ended at that time
 */
record EndedTask(Event event, Task task, Optional<Attempt> attempt) {

    static EndedTask of(Event event, Task task, List<Attempt> attempts) {
        var last =
                attempts.reversed().stream()
                        .filter(
                                one ->
                                        endedAt(one)
                                                .filter(at -> !at.isAfter(event.at()))
                                                .isPresent())
                        .findFirst();
        return new EndedTask(event, task, last);
    }

    private static Optional<Instant> endedAt(Attempt attempt) {
        return attempt.phase() instanceof Phase.Ended(_, _, Instant at)
                ? Optional.of(at)
                : Optional.empty();
    }

    /** The state of the task at that time. */
    String status() {
        return event.payload() instanceof TaskPayload.TaskRetried
                ? "queued"
                : task.state().apiName();
    }

    Optional<Instant> startedAt() {
        return attempt.flatMap(one -> one.phase().shimProcess()).map(ShimProcess::startedAt);
    }

    Optional<Instant> finishedAt() {
        return attempt.flatMap(EndedTask::endedAt);
    }

    Optional<Duration> runTime() {
        return startedAt().flatMap(start -> finishedAt().map(end -> between(start, end)));
    }

    /** The waiting time before its last attempt; unknown after the task was queued again. */
    Optional<Duration> waitTime() {
        return attempt.map(Attempt::scheduledAt)
                .flatMap(
                        then ->
                                task.queuedAt()
                                        .filter(at -> !at.isAfter(then))
                                        .map(at -> between(at, then)));
    }

    private static Duration between(Instant from, Instant to) {
        return to.isBefore(from) ? Duration.ZERO : Duration.between(from, to);
    }

    OptionalInt exitCode() {
        return attempt.map(Attempt::phase).orElse(null)
                        instanceof Phase.Ended(_, Ending.Exited(int code), _)
                ? OptionalInt.of(code)
                : OptionalInt.empty();
    }

    Optional<String> error() {
        if (event.payload() instanceof TaskPayload.TaskFailed
                && task.state() instanceof TaskState.Failed(_, String error)) {
            return Optional.of(error);
        }
        return event.payload() instanceof TaskPayload.TaskRetried
                ? attempt.flatMap(Attempt::errorText)
                : Optional.empty();
    }

    /** GPU time from the start of scheduling, as in the API: duration times number of GPUs. */
    Duration gpuTime() {
        return attempt.flatMap(
                        one ->
                                endedAt(one)
                                        .map(end -> between(one.scheduledAt(), end))
                                        .map(had -> had.multipliedBy(one.claims().size())))
                .orElse(Duration.ZERO);
    }
}

package dev.berth.server.message;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Ending;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Run;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.engine.port.Event;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What an event says of a task that ended or is tried again.
 *
 * @param attempt that had ended by then, if there was one
 */
record Ended(Event event, Task task, Optional<Attempt> attempt) {

    static Ended of(Event event, Task task, List<Attempt> attempts) {
        var last =
                attempts.reversed().stream()
                        .filter(
                                one ->
                                        endedAt(one)
                                                .filter(at -> !at.isAfter(event.at()))
                                                .isPresent())
                        .findFirst();
        return new Ended(event, task, last);
    }

    private static Optional<Instant> endedAt(Attempt attempt) {
        return attempt.phase() instanceof Phase.Ended(_, _, Instant at)
                ? Optional.of(at)
                : Optional.empty();
    }

    /** The state in a word, as of then. */
    String status() {
        return event.kind() == Event.Kind.TASK_RETRIED ? "queued" : task.state().word();
    }

    Optional<Instant> startedAt() {
        return attempt.flatMap(one -> one.phase().begun()).map(Run::startedAt);
    }

    Optional<Instant> finishedAt() {
        return attempt.flatMap(Ended::endedAt);
    }

    Optional<Duration> ran() {
        return startedAt().flatMap(start -> finishedAt().map(end -> since(start, end)));
    }

    /** Before its last attempt; a task that has joined its line again has forgotten. */
    Optional<Duration> waited() {
        return attempt.map(Attempt::grantedAt)
                .flatMap(
                        then ->
                                task.queuedAt()
                                        .filter(at -> !at.isAfter(then))
                                        .map(at -> since(at, then)));
    }

    private static Duration since(Instant from, Instant to) {
        return to.isBefore(from) ? Duration.ZERO : Duration.between(from, to);
    }

    OptionalInt exitCode() {
        return attempt.map(Attempt::phase).orElse(null)
                        instanceof Phase.Ended(_, Ending.Exited(int code), _)
                ? OptionalInt.of(code)
                : OptionalInt.empty();
    }

    Optional<String> error() {
        if (event.kind() == Event.Kind.TASK_FAILED
                && task.state() instanceof TaskState.Failed(_, String error)) {
            return Optional.of(error);
        }
        return event.kind() == Event.Kind.TASK_RETRIED
                ? attempt.flatMap(Attempt::trouble)
                : Optional.empty();
    }

    /** For how long it had its cards, each of them counted: from the grant, as in the API. */
    Duration cardTime() {
        return attempt.flatMap(
                        one ->
                                endedAt(one)
                                        .map(end -> since(one.grantedAt(), end))
                                        .map(had -> had.multipliedBy(one.claims().size())))
                .orElse(Duration.ZERO);
    }
}

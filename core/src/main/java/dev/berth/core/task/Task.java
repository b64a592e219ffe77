package dev.berth.core.task;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * One request and where it stands.
 *
 * @param queuedAt when it last joined its line
 * @param attempts how many attempts were granted so far
 * @param retries how many of them came after a failure
 * @param notBefore it rests until then before it is tried again
 */
public record Task(
        TaskId id,
        Owner owner,
        TaskSpec spec,
        Instant createdAt,
        Optional<Instant> queuedAt,
        TaskState state,
        int attempts,
        int retries,
        Optional<Instant> notBefore) {

    private static final int RADIX = 36;

    public static Task queued(TaskId id, Owner owner, TaskSpec spec, Instant at) {
        return fresh(id, owner, spec, at, new TaskState.Queued());
    }

    /** One that waits for nothing but a person's word. */
    public static Task draft(TaskId id, Owner owner, TaskSpec spec, Instant at) {
        return fresh(id, owner, spec, at, new TaskState.Pending());
    }

    private static Task fresh(TaskId id, Owner owner, TaskSpec spec, Instant at, TaskState state) {
        var queuedAt =
                state instanceof TaskState.Queued ? Optional.of(at) : Optional.<Instant>empty();
        return new Task(id, owner, spec, at, queuedAt, state, 0, 0, Optional.empty());
    }

    /** The same task asking for something else; it keeps its age, and with it its place. */
    public Task with(TaskSpec other) {
        return new Task(id, owner, other, createdAt, queuedAt, state, attempts, retries, notBefore);
    }

    /** This task after {@code move}; a start also counts its attempt. */
    public Task after(TaskMove move) {
        var next = state.after(move);
        return switch (move) {
            case TaskMove.Enqueue(Instant at) -> joined(at, next, retries, notBefore);
            case TaskMove.Requeue(Instant at) -> joined(at, next, retries, notBefore);
            case TaskMove.Retry(Instant at, var rest) -> joined(at, next, retries + 1, rest);
            case TaskMove.Start(int number) ->
                    new Task(
                            id,
                            owner,
                            spec,
                            createdAt,
                            queuedAt,
                            next,
                            number,
                            retries,
                            Optional.empty());
            case TaskMove.Complete _, TaskMove.Fail _, TaskMove.Cancel _ ->
                    new Task(
                            id,
                            owner,
                            spec,
                            createdAt,
                            queuedAt,
                            next,
                            attempts,
                            retries,
                            Optional.empty());
        };
    }

    private Task joined(Instant at, TaskState next, int tried, Optional<Instant> rest) {
        return new Task(id, owner, spec, createdAt, Optional.of(at), next, attempts, tried, rest);
    }

    /** Since when it has waited, if it does. */
    public Instant waitingSince() {
        return queuedAt.orElse(createdAt);
    }

    public AttemptId nextAttempt() {
        return new AttemptId(id, attempts + 1);
    }

    /**
     * By what a command file's task is known to its own script: another with each retry. No two
     * tasks of a home were created in the same microsecond.
     */
    public String uniId() {
        return uniId(retries);
    }

    /** What it was known by in an earlier try. */
    public String uniId(int retry) {
        return Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, createdAt), RADIX)
                + "_"
                + retry;
    }
}

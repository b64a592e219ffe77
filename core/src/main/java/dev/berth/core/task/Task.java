package dev.berth.core.task;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * One submitted request and its state.
 *
 * @param queuedAt when it last entered its queue; empty for a draft, also one that was started by
 *     hand
 * @param attempts number of attempts so far
 * @param retries number of attempts that followed a failure
 * @param notBefore the next attempt is delayed until then
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
        return create(id, owner, spec, at, new TaskState.Queued());
    }

    /** A task that is not scheduled until a person starts or queues it. */
    public static Task draft(TaskId id, Owner owner, TaskSpec spec, Instant at) {
        return create(id, owner, spec, at, new TaskState.Pending());
    }

    private static Task create(TaskId id, Owner owner, TaskSpec spec, Instant at, TaskState state) {
        var queuedAt =
                state instanceof TaskState.Queued ? Optional.of(at) : Optional.<Instant>empty();
        return new Task(id, owner, spec, at, queuedAt, state, 0, 0, Optional.empty());
    }

    /** The same task with another specification; it keeps its age and so its queue position. */
    public Task with(TaskSpec other) {
        return new Task(id, owner, other, createdAt, queuedAt, state, attempts, retries, notBefore);
    }

    /** The same without the text of its script. */
    public Task stored() {
        return spec.script() instanceof Script.Stored ? this : with(spec.stored());
    }

    /** The same task, delayed until another time or not at all. */
    public Task withNotBefore(Optional<Instant> other) {
        return new Task(id, owner, spec, createdAt, queuedAt, state, attempts, retries, other);
    }

    /**
     * The same task, with those parts of the other one that are equal: the tasks of a queue differ
     * in little, and what they share is in memory once.
     */
    public Task sharing(Task other) {
        return new Task(
                id,
                owner.equals(other.owner) ? other.owner : owner,
                spec.sharing(other.spec),
                createdAt,
                sharedQueuedAt(),
                state,
                attempts,
                retries,
                notBefore);
    }

    /**
     * The same, with a task of equal owner, requirements and priority, which are not compared:
     * there are many tasks at a start.
     */
    public Task sharingGroup(Task other) {
        return new Task(
                id,
                other.owner,
                spec.sharingGroup(other.spec),
                createdAt,
                sharedQueuedAt(),
                state,
                attempts,
                retries,
                notBefore);
    }

    private Optional<Instant> sharedQueuedAt() {
        return queuedAt.filter(createdAt::equals).map(_ -> createdAt).or(() -> queuedAt);
    }

    /** This task after {@code move}; a start also sets the number of attempts. */
    public Task after(TaskTransition move) {
        var next = state.after(move);
        return switch (move) {
            case TaskTransition.Enqueue(Instant at) -> enqueued(at, next, retries, notBefore);
            case TaskTransition.Requeue(Instant at, var delayedUntil) ->
                    enqueued(queuedAt.orElse(at), next, retries, delayedUntil);
            case TaskTransition.Retry(Instant at, var delayedUntil) ->
                    enqueued(at, next, retries + 1, delayedUntil);
            case TaskTransition.HandOver(int number) -> begun(number, next);
            case TaskTransition.Start(int number) -> begun(number, next);
            case TaskTransition.Complete _, TaskTransition.Fail _, TaskTransition.Cancel _ ->
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

    private Task begun(int number, TaskState next) {
        return new Task(
                id, owner, spec, createdAt, queuedAt, next, number, retries, Optional.empty());
    }

    private Task enqueued(
            Instant at, TaskState next, int newRetries, Optional<Instant> delayedUntil) {
        return new Task(
                id,
                owner,
                spec,
                createdAt,
                Optional.of(at),
                next,
                attempts,
                newRetries,
                delayedUntil);
    }

    /** Meaningful only while the task waits. */
    public Instant waitingSince() {
        return queuedAt.orElse(createdAt);
    }

    public AttemptId nextAttempt() {
        return new AttemptId(id, attempts + 1);
    }

    /**
     * The id under which a task of a command file is known to its script; every retry has another
     * one. It is unique because no two tasks of a home are created in the same microsecond.
     */
    public String uniId() {
        return uniId(retries);
    }

    /** The id of an earlier try. */
    public String uniId(int retry) {
        return Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, createdAt), RADIX)
                + "_"
                + retry;
    }
}

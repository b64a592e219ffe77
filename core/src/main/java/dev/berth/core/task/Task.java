package dev.berth.core.task;

import java.time.Instant;

/**
 * One request and where it stands.
 *
 * @param attempts how many attempts were granted so far
 * @param retries how many of them came after a failure
 */
public record Task(
        TaskId id,
        Owner owner,
        TaskSpec spec,
        Instant createdAt,
        TaskState state,
        int attempts,
        int retries) {

    public static Task queued(TaskId id, Owner owner, TaskSpec spec, Instant at) {
        return new Task(id, owner, spec, at, new TaskState.Queued(), 0, 0);
    }

    /** This task after {@code move}; a start also counts its attempt. */
    public Task after(TaskMove move) {
        int granted = move instanceof TaskMove.Start(int number) ? number : attempts;
        return new Task(id, owner, spec, createdAt, state.after(move), granted, retries);
    }

    public AttemptId nextAttempt() {
        return new AttemptId(id, attempts + 1);
    }
}

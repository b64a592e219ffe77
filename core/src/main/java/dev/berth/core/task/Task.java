package dev.berth.core.task;

import java.time.Instant;
import java.util.Optional;

/**
 * One request and where it stands.
 *
 * @param queuedAt when it last joined its line
 * @param attempts how many attempts were granted so far
 * @param retries how many of them came after a failure
 */
public record Task(
        TaskId id,
        Owner owner,
        TaskSpec spec,
        Instant createdAt,
        Optional<Instant> queuedAt,
        TaskState state,
        int attempts,
        int retries) {

    public static Task queued(TaskId id, Owner owner, TaskSpec spec, Instant at) {
        return new Task(id, owner, spec, at, Optional.of(at), new TaskState.Queued(), 0, 0);
    }

    /** One that waits for nothing but a person's word. */
    public static Task draft(TaskId id, Owner owner, TaskSpec spec, Instant at) {
        return new Task(id, owner, spec, at, Optional.empty(), new TaskState.Pending(), 0, 0);
    }

    /** The same task asking for something else; it keeps its age, and with it its place. */
    public Task with(TaskSpec other) {
        return new Task(id, owner, other, createdAt, queuedAt, state, attempts, retries);
    }

    /** This task after {@code move}; a start also counts its attempt. */
    public Task after(TaskMove move) {
        var joined =
                switch (move) {
                    case TaskMove.Enqueue(Instant at) -> Optional.of(at);
                    case TaskMove.Requeue(Instant at) -> Optional.of(at);
                    case TaskMove.Start _,
                            TaskMove.Complete _,
                            TaskMove.Fail _,
                            TaskMove.Cancel _ ->
                            queuedAt;
                };
        int granted = move instanceof TaskMove.Start(int number) ? number : attempts;
        return new Task(id, owner, spec, createdAt, joined, state.after(move), granted, retries);
    }

    /** Since when it has waited, if it does. */
    public Instant waitingSince() {
        return queuedAt.orElse(createdAt);
    }

    public AttemptId nextAttempt() {
        return new AttemptId(id, attempts + 1);
    }
}

package dev.berth.port.recover;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.ProcessKey;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Node;

import java.time.Instant;
import java.util.Optional;

/**
 * What the directory of an attempt tells about it.
 *
 * @param description empty if its directory does not describe it
 * @param changedAt when its files were last changed
 */
public record AttemptRecord(
        AttemptId id, Optional<Description> description, Outcome outcome, Instant changedAt) {

    /**
     * The attempt as it was scheduled, and its whole task.
     *
     * @param spec with command and environment
     */
    public record Description(Attempt attempt, TaskSpec spec, Node.Submission submission) {

        /** The task as it was when it was submitted. */
        public Task task() {
            return Task.queued(
                    attempt.id().task(), submission.owner(), spec, submission.createdAt());
        }
    }

    /** What the directory tells about the command. It does not tell whether a process lives. */
    public sealed interface Outcome {
        record Exited(int code) implements Outcome {}

        /** The command was started, and there is no exit record. */
        record Started(Optional<ProcessKey> shim) implements Outcome {}

        /** The command was never started. */
        record NotStarted() implements Outcome {}
    }
}

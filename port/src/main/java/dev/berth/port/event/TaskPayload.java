package dev.berth.port.event;

import dev.berth.core.id.TaskRanges;
import dev.berth.core.task.Priority;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Events of a task. */
public sealed interface TaskPayload extends EventPayload {

    record TaskSubmitted(String name, Priority priority) implements TaskPayload {}

    record TaskDrafted(String name, Priority priority) implements TaskPayload {}

    /** A draft joined its queue. */
    record TaskQueued() implements TaskPayload {}

    /**
     * @param parts the names of the changed parts, never their values
     */
    record TaskChanged(List<String> parts) implements TaskPayload {
        public TaskChanged {
            parts = List.copyOf(parts);
        }
    }

    /** The attempt never ran; the task waits again. */
    record TaskRequeued() implements TaskPayload {}

    /**
     * The task failed and will be retried.
     *
     * @param retry the number of the retry
     * @param notBefore the end of its backoff
     * @param memoryMib the raised memory, after it ran out of GPU memory
     */
    record TaskRetried(int retry, Optional<Instant> notBefore, OptionalLong memoryMib)
            implements TaskPayload {}

    record TaskCompleted() implements TaskPayload {}

    record TaskFailed() implements TaskPayload {}

    record TaskCancelled() implements TaskPayload {}

    /** The records and files of these ended tasks were removed. */
    record TasksRemoved(TaskRanges tasks) implements TaskPayload {}

    /** A model needed more memory than estimated. */
    record EstimateRaised(String model, long fromMib, long toMib) implements TaskPayload {}
}

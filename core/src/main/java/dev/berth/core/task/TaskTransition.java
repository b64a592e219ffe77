package dev.berth.core.task;

import java.time.Instant;
import java.util.Optional;

/** A transition of a task's state. */
public sealed interface TaskTransition {

    /** A draft enters its queue. */
    record Enqueue(Instant at) implements TaskTransition {}

    /** A cluster is asked to run attempt {@code number}. */
    record HandOver(int number) implements TaskTransition {}

    /** Its GPUs are claimed for attempt {@code number}. */
    record Start(int number) implements TaskTransition {}

    /**
     * Back to its queue position: the attempt never ran, so it has been waiting all the time.
     *
     * @param notBefore the next start is delayed until then
     */
    record Requeue(Instant at, Optional<Instant> notBefore) implements TaskTransition {

        /** Without a delay. */
        public Requeue(Instant at) {
            this(at, Optional.empty());
        }
    }

    /**
     * It failed and is retried.
     *
     * @param notBefore the retry is delayed until then
     */
    record Retry(Instant at, Optional<Instant> notBefore) implements TaskTransition {}

    record Complete(Instant at) implements TaskTransition {}

    record Fail(Instant at, String error) implements TaskTransition {}

    record Cancel(Instant at) implements TaskTransition {}
}

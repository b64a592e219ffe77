package dev.berth.core.task;

import java.time.Instant;
import java.util.Optional;

/** What can happen to a task. */
public sealed interface TaskMove {

    /** A draft joins its line. */
    record Enqueue(Instant at) implements TaskMove {}

    /** Its cards are claimed for attempt {@code number}. */
    record Start(int number) implements TaskMove {}

    /** Back to its place in line: the attempt never ran. */
    record Requeue(Instant at) implements TaskMove {}

    /**
     * It failed and is tried again.
     *
     * @param notBefore it rests until then
     */
    record Retry(Instant at, Optional<Instant> notBefore) implements TaskMove {}

    record Complete(Instant at) implements TaskMove {}

    record Fail(Instant at, String error) implements TaskMove {}

    record Cancel(Instant at) implements TaskMove {}
}

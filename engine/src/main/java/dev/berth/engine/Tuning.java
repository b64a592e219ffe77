package dev.berth.engine;

import dev.berth.core.task.Backoff;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * What can be changed while lanes run.
 *
 * @param mostRetries of a command file's task; without end where absent
 * @param assignDelay between two starts of one run
 * @param confirmWithin what has not come up by then is closed off
 */
public record Tuning(
        Backoff backoff, OptionalInt mostRetries, Duration assignDelay, Duration confirmWithin) {

    public static final Tuning USUAL =
            new Tuning(Backoff.USUAL, OptionalInt.empty(), Duration.ZERO, Duration.ofMinutes(1));

    /** Whether a task that failed is tried again. */
    boolean triesAgain(Task task) {
        var spec = task.spec();
        var most =
                spec.mostRetries().isPresent() || spec.ofRun().isEmpty()
                        ? OptionalInt.of(spec.mostRetries().orElse(0))
                        : mostRetries;
        return most.isEmpty() || task.retries() < most.getAsInt();
    }
}

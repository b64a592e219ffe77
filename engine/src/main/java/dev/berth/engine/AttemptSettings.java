package dev.berth.engine;

import dev.berth.core.model.Model;
import dev.berth.core.task.Backoff;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.util.Collections;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Settings of attempts that can be changed while the server runs.
 *
 * @param maxRetries of a task of a command file; unlimited if absent
 * @param assignDelay between two starts of one file run
 * @param startTimeout an attempt that has not started by then is closed
 * @param models the models of the configuration
 */
public record AttemptSettings(
        Backoff backoff,
        OptionalInt maxRetries,
        Duration assignDelay,
        Duration startTimeout,
        SortedMap<String, Model> models) {

    public AttemptSettings {
        models = Collections.unmodifiableSortedMap(new TreeMap<>(models));
    }

    /** Without models. */
    public AttemptSettings(
            Backoff backoff, OptionalInt maxRetries, Duration assignDelay, Duration startTimeout) {
        this(backoff, maxRetries, assignDelay, startTimeout, Collections.emptySortedMap());
    }

    public static final AttemptSettings DEFAULT =
            new AttemptSettings(
                    Backoff.DEFAULT, OptionalInt.empty(), Duration.ZERO, Duration.ofMinutes(1));

    /** Whether a failed task has a retry left. */
    boolean allowsRetry(Task task) {
        var spec = task.spec();
        var most =
                spec.options().maxRetries().isPresent() || spec.fileRunLane().isEmpty()
                        ? OptionalInt.of(spec.options().maxRetries().orElse(0))
                        : maxRetries;
        return most.isEmpty() || task.retries() < most.getAsInt();
    }
}

package dev.berth.core.task;

import dev.berth.core.lane.Lane;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a task is queued, limited and retried.
 *
 * @param timeLimit the task is stopped when its process has run this long
 * @param lane the task starts after all earlier tasks of this lane have ended
 * @param maxRetries maximum number of retries after a failure; if absent, a task of a command file
 *     is retried as the lane rules define, and any other task is not retried
 */
public record TaskOptions(
        Priority priority,
        Optional<Duration> timeLimit,
        Optional<Lane> lane,
        OptionalInt maxRetries) {

    public static final TaskOptions DEFAULT = of(Priority.NORMAL);

    public static TaskOptions of(Priority priority) {
        return new TaskOptions(priority, Optional.empty(), Optional.empty(), OptionalInt.empty());
    }

    TaskOptions with(Priority other) {
        return new TaskOptions(other, timeLimit, lane, maxRetries);
    }

    TaskOptions with(Duration limit) {
        return new TaskOptions(priority, Optional.of(limit), lane, maxRetries);
    }

    TaskOptions with(Lane other, OptionalInt retries) {
        return new TaskOptions(priority, timeLimit, Optional.of(other), retries);
    }
}

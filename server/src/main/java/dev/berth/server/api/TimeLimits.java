package dev.berth.server.api;

import java.time.Duration;

/**
 * How long a task may run.
 *
 * @param modelTasksSeconds of a model task that states no limit
 * @param mostSeconds that a request may state
 */
public record TimeLimits(int modelTasksSeconds, int mostSeconds) {

    public static final TimeLimits USUAL = new TimeLimits(3600, 86_400);

    Duration ofModelTasks() {
        return Duration.ofSeconds(modelTasksSeconds);
    }

    public TimeLimits {
        if (modelTasksSeconds < 1 || mostSeconds < modelTasksSeconds) {
            throw new IllegalArgumentException(
                    "a time limit is 1 s or more, and no default is above the most: "
                            + modelTasksSeconds
                            + ", "
                            + mostSeconds);
        }
    }
}

package dev.berth.server.api.task;

import java.time.Duration;

/**
 * How long a task may run.
 *
 * @param modelTaskSeconds limit of a model task that states none
 * @param maxSeconds highest limit that a request may state
 */
public record TimeLimits(int modelTaskSeconds, int maxSeconds) {

    public static final TimeLimits DEFAULT = new TimeLimits(3600, 30 * 86_400);

    Duration ofModelTasks() {
        return Duration.ofSeconds(modelTaskSeconds);
    }

    public TimeLimits {
        if (modelTaskSeconds < 1 || maxSeconds < modelTaskSeconds) {
            throw new IllegalArgumentException(
                    "a time limit is 1 s or more, and no default is above the most: "
                            + modelTaskSeconds
                            + ", "
                            + maxSeconds);
        }
    }
}

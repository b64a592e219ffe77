package dev.berth.core.task;

import java.util.Optional;

/**
 * What a task needs in order to run.
 *
 * @param work present for a model task
 */
public record Requirements(Need need, Optional<ModelWork> work) {

    public static Requirements of(Need need) {
        return new Requirements(need, Optional.empty());
    }
}

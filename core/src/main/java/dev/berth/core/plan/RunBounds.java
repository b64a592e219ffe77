package dev.berth.core.plan;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** When tasks will have ended at the latest, as far as this is known. */
public interface RunBounds {

    RunBounds UNKNOWN =
            new RunBounds() {
                @Override
                public Optional<Instant> end(AttemptId running) {
                    return Optional.empty();
                }

                @Override
                public Optional<Duration> length(Task waiting) {
                    return Optional.empty();
                }
            };

    /** In the past if the attempt already runs longer than expected. */
    Optional<Instant> end(AttemptId running);

    /** How long a waiting task will run at most. */
    Optional<Duration> length(Task waiting);
}

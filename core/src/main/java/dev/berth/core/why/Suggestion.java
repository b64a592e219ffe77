package dev.berth.core.why;

import java.time.Instant;
import java.util.Optional;

/**
 * An edit with which a task starts earlier, verified by the planner.
 *
 * @param expectedStart empty if it would start in the next scheduling pass
 */
public record Suggestion(TaskEdit edit, Optional<Instant> expectedStart) {

    public boolean startsNow() {
        return expectedStart.isEmpty();
    }
}

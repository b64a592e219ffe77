package dev.berth.engine;

import dev.berth.port.Change;

import java.time.Instant;
import java.util.List;

/**
 * The result of deciding one batch. Nothing of it has happened yet: the engine commits the changes
 * first, and drops the whole step if that fails.
 *
 * @param next the state once the changes are committed
 * @param replies one for each command of the batch, in its order
 * @param defects exceptions that were caught while deciding
 * @param due when the next step has work to do even without a new command
 */
record Step(
        StepState next,
        List<Change> changes,
        List<Effect> effects,
        List<EngineReply> replies,
        List<Defect> defects,
        Instant due) {

    Step {
        changes = List.copyOf(changes);
        effects = List.copyOf(effects);
        replies = List.copyOf(replies);
        defects = List.copyOf(defects);
    }

    /**
     * An error in this program. What was being decided is dropped, the rest of the step stands.
     *
     * @param what was being decided
     */
    record Defect(String what, RuntimeException cause) {}
}

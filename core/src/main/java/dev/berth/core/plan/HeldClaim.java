package dev.berth.core.plan;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Phase;

/**
 * A claim and the attempt that holds it.
 *
 * @param contact whether waiting for the attempt's end makes sense
 */
public record HeldClaim(AttemptId attempt, Claim claim, Contact contact) {

    /** The attempt that holds a claim. */
    public enum Contact {
        USUAL,
        /** Berth cannot observe it. */
        LOST,
        /** It cannot be ended. */
        STUCK;

        public static Contact of(Phase phase) {
            return switch (phase) {
                case Phase.Lost _ -> LOST;
                case Phase.Stuck _ -> STUCK;
                case Phase.Handed _,
                        Phase.Starting _,
                        Phase.Running _,
                        Phase.Stopping _,
                        Phase.Ended _ ->
                        USUAL;
            };
        }
    }

    public HeldClaim(AttemptId attempt, Claim claim) {
        this(attempt, claim, Contact.USUAL);
    }
}

package dev.berth.core.plan;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.task.AttemptId;

import java.util.List;

/**
 * A card as a pass sees it.
 *
 * @param leaving attempts that ended and that no reading taken afterwards has shown to be off it
 */
public record Spot(CardState state, List<Hold> holds, List<AttemptId> leaving) {

    /** Nobody holds it and nobody has just left. */
    static Spot unheld(CardState state) {
        return new Spot(state, List.of(), List.of());
    }

    /** None where it cannot be told who is there. */
    List<Occupant> occupants() {
        return state instanceof CardState.Readable(_, var reading)
                ? reading.occupants().orElse(List.of())
                : List.of();
    }
}

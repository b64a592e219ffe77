package dev.berth.core.plan;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.task.AttemptId;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A card as a pass sees it.
 *
 * @param leaving attempts that ended and that no reading taken afterwards has shown to be off it
 * @param releasedAt when a task last let go of it, as far as anybody remembers
 * @param loaded the models on it
 */
public record Spot(
        CardState state,
        List<Hold> holds,
        List<AttemptId> leaving,
        Optional<Instant> releasedAt,
        List<String> loaded) {

    /** Longer than anybody asks about. */
    private static final Duration EVER = Duration.ofDays(1);

    /** Where nobody asks how long it has been idle and which models are on it. */
    public Spot(CardState state, List<Hold> holds, List<AttemptId> leaving) {
        this(state, holds, leaving, Optional.empty(), List.of());
    }

    /** Nobody holds it and nobody has just left. */
    static Spot unheld(CardState state) {
        return new Spot(state, List.of(), List.of());
    }

    /** None where it cannot be told who is there. */
    List<Occupant> occupants() {
        return reading().flatMap(Reading::occupants).orElse(List.of());
    }

    private Optional<Reading> reading() {
        return state instanceof CardState.Readable(_, var reading)
                ? Optional.of(reading)
                : Optional.empty();
    }

    /** As reported; 0 where it is not. */
    long freeMib() {
        return reading().map(one -> one.freeMib().orElse(0)).orElse(0L);
    }

    OptionalInt temperatureC() {
        return reading().map(Reading::temperatureC).orElse(OptionalInt.empty());
    }

    OptionalInt utilizationPercent() {
        return reading().map(Reading::utilizationPercent).orElse(OptionalInt.empty());
    }

    OptionalInt meanUtilizationPercent() {
        return reading().map(Reading::meanUtilizationPercent).orElse(OptionalInt.empty());
    }

    boolean hasLoaded(Optional<String> model) {
        return model.isPresent() && loaded.contains(model.get());
    }

    /** How long nobody has held it. */
    Duration idle(Instant now) {
        return holds.isEmpty()
                ? releasedAt.map(then -> Duration.between(then, now)).orElse(EVER)
                : Duration.ZERO;
    }
}

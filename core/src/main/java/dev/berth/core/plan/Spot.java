package dev.berth.core.plan;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.TaskId;

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
 * @param promised who gathers cards and is to have it next
 */
public record Spot(
        CardState state,
        List<Hold> holds,
        List<AttemptId> leaving,
        Optional<Instant> releasedAt,
        List<String> loaded,
        ForLanes forLanes,
        Optional<TaskId> promised) {

    /** Longer than anybody asks about. */
    private static final Duration EVER = Duration.ofDays(1);

    /** Where nobody asks how long it has been idle and which models are on it. */
    public Spot(CardState state, List<Hold> holds, List<AttemptId> leaving) {
        this(state, holds, leaving, Optional.empty(), List.of(), ForLanes.OPEN, Optional.empty());
    }

    /** What it is to the lanes of command files. */
    public enum ForLanes {
        OPEN,
        /** Left to others, unless a task cannot do with fewer cards. */
        KEPT_BACK,
        /** None of theirs. */
        OUTSIDE
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

    /** Nobody at all computes on it. */
    boolean isIdle(int thresholdPercent) {
        return holds.isEmpty()
                && leaving.isEmpty()
                && occupants().stream().noneMatch(one -> one.kind() == Occupant.Kind.COMPUTE)
                && reading().stream()
                        .anyMatch(
                                one ->
                                        one.usedMib().isPresent()
                                                && one.usedMib().getAsLong() * 100
                                                        < state.card().totalMib()
                                                                * thresholdPercent);
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

package dev.berth.core.plan;

import dev.berth.core.card.CardState;
import dev.berth.core.task.Need;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A hard rule about one card: satisfied (nothing), or the reason it is not. Reads only the need,
 * never the task.
 */
@FunctionalInterface
public interface Constraint {

    Optional<Refusal> refuses(Need.Cards need, CardState card, List<Hold> holds);

    Constraint MODEL =
            (need, state, holds) ->
                    need.model()
                            .filter(wanted -> !wanted.equals(state.card().model()))
                            .map(wanted -> new Refusal.WrongModel(wanted, state.card().model()));

    Constraint SIZE =
            (need, state, holds) -> {
                long wanted = need.memoryMib().orElse(0);
                long total = state.card().totalMib();
                return wanted > total
                        ? Optional.of(new Refusal.TooSmall(wanted, total))
                        : Optional.empty();
            };

    Constraint UNHELD =
            (need, state, holds) ->
                    holds.stream().findFirst().map(hold -> new Refusal.Held(hold.attempt()));

    /** An absent value is never "free". */
    Constraint READABLE =
            (need, state, holds) ->
                    switch (state) {
                        case CardState.Unknown(_, String why) ->
                                Optional.of(new Refusal.Unreadable(why));
                        case CardState.Readable(_, var reading) ->
                                reading.freeMib().isEmpty() || reading.usedMib().isEmpty()
                                        ? Optional.of(
                                                new Refusal.Unreadable(
                                                        "the driver reports no memory use"))
                                        : Optional.empty();
                    };

    Constraint MEMORY =
            (need, state, holds) -> {
                if (!(state instanceof CardState.Readable(_, var reading))) {
                    return Optional.empty();
                }
                OptionalLong free = reading.freeMib();
                return need.memoryMib().isPresent()
                                && free.isPresent()
                                && free.getAsLong() < need.memoryMib().getAsLong()
                        ? Optional.of(
                                new Refusal.MemoryShort(
                                        need.memoryMib().getAsLong(), free.getAsLong()))
                        : Optional.empty();
            };

    /**
     * Without a stated need a card is available while its use is below the threshold; the threshold
     * itself is busy.
     */
    static Constraint idle(int thresholdPercent) {
        return (need, state, holds) -> {
            if (need.memoryMib().isPresent()
                    || !(state instanceof CardState.Readable(var card, var reading))
                    || reading.usedMib().isEmpty()) {
                return Optional.empty();
            }
            long used = reading.usedMib().getAsLong();
            return used * 100 >= card.totalMib() * thresholdPercent
                    ? Optional.of(new Refusal.InUse(used, card.totalMib(), thresholdPercent))
                    : Optional.empty();
        };
    }

    /** The rules in force; what can never change is asked first, so that it is the reason shown. */
    static List<Constraint> standard(int thresholdPercent) {
        return List.of(MODEL, SIZE, UNHELD, READABLE, MEMORY, idle(thresholdPercent));
    }
}

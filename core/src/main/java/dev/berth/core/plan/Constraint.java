package dev.berth.core.plan;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Need;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A hard rule about one card: satisfied (nothing), or the reason it is not. Reads only the need,
 * never the task.
 */
@FunctionalInterface
public interface Constraint {

    Optional<Refusal> refuses(Need.Cards need, Spot spot);

    Constraint MODEL =
            (need, spot) ->
                    need.model()
                            .filter(wanted -> !wanted.equals(spot.state().card().model()))
                            .map(
                                    wanted ->
                                            new Refusal.WrongModel(
                                                    wanted, spot.state().card().model()));

    Constraint SIZE =
            (need, spot) -> {
                long wanted = need.memoryMib().orElse(0);
                long total = spot.state().card().totalMib();
                return wanted > total
                        ? Optional.of(new Refusal.TooSmall(wanted, total))
                        : Optional.empty();
            };

    Constraint UNHELD =
            (need, spot) ->
                    spot.holds().stream().findFirst().map(hold -> new Refusal.Held(hold.attempt()));

    /** An absent value is never "free". */
    Constraint READABLE =
            (need, spot) ->
                    switch (spot.state()) {
                        case CardState.Unknown(_, String why) ->
                                Optional.of(new Refusal.Unreadable(why));
                        case CardState.Failed(_, String why) ->
                                Optional.of(new Refusal.Broken(why));
                        case CardState.Readable(_, var reading) ->
                                reading.freeMib().isEmpty() || reading.usedMib().isEmpty()
                                        ? Optional.of(
                                                new Refusal.Unreadable(
                                                        "the driver reports no memory use"))
                                        : Optional.empty();
                    };

    /** A card is given on only when a reading taken after the end shows nothing of the attempt. */
    Constraint VACATED =
            (need, spot) ->
                    spot.leaving().stream()
                            .findFirst()
                            .<Refusal>map(Refusal.Leaving::new)
                            .or(() -> leftBehind(spot));

    private static Optional<Refusal> leftBehind(Spot spot) {
        for (var one : spot.occupants()) {
            if (one.whose() instanceof Whose.Ours(AttemptId attempt)
                    && spot.holds().stream().noneMatch(hold -> hold.attempt().equals(attempt))) {
                return Optional.of(new Refusal.LeftBehind(attempt, one));
            }
        }
        return Optional.empty();
    }

    Constraint MEMORY =
            (need, spot) -> {
                if (need.memoryMib().isEmpty()
                        || !(spot.state() instanceof CardState.Readable(_, Reading reading))) {
                    return Optional.empty();
                }
                long needed = need.memoryMib().getAsLong();
                long headroom = Headroom.mib(reading, spot.holds()).orElse(0);
                return headroom < needed
                        ? Optional.of(new Refusal.MemoryShort(needed, headroom, others(spot)))
                        : Optional.empty();
            };

    /**
     * Without a stated need a card is available while its use is below the threshold; the threshold
     * itself is busy.
     */
    static Constraint idle(int thresholdPercent) {
        return (need, spot) -> {
            if (need.memoryMib().isPresent()
                    || !(spot.state() instanceof CardState.Readable(var card, Reading reading))
                    || reading.usedMib().isEmpty()) {
                return Optional.empty();
            }
            long used = reading.usedMib().getAsLong();
            return used * 100 >= card.totalMib() * thresholdPercent
                    ? Optional.of(
                            new Refusal.InUse(
                                    used, card.totalMib(), thresholdPercent, others(spot)))
                    : Optional.empty();
        };
    }

    static Constraint inside(Pool pool) {
        return (need, spot) -> {
            int index = spot.state().card().index();
            if (pool.reserved().contains(index)) {
                return Optional.of(new Refusal.Reserved());
            }
            return pool.ids().isPresent() && !pool.ids().get().contains(index)
                    ? Optional.of(new Refusal.OutsidePool())
                    : Optional.empty();
        };
    }

    static Constraint respecting(Foreign foreign) {
        return switch (foreign) {
            case FIT -> (need, spot) -> Optional.empty();
            case YIELD ->
                    (need, spot) ->
                            spot.occupants().stream()
                                    .filter(Occupant::isAnotherUsersWork)
                                    .max(BY_MEMORY)
                                    .<Refusal>map(Refusal.OthersWork::new)
                                    .or(() -> unseen(spot));
        };
    }

    /** Where the driver does not say who is there, it may be anybody. */
    private static Optional<Refusal> unseen(Spot spot) {
        return spot.state() instanceof CardState.Readable(_, Reading reading)
                        && reading.occupants().isEmpty()
                ? Optional.of(
                        new Refusal.Unreadable(
                                "the driver does not list the processes on it (with foreign: fit"
                                        + " memory alone decides)"))
                : Optional.empty();
    }

    /** The rules in force; what can never change is asked first, so that it is the reason shown. */
    static List<Constraint> standard(Rules rules) {
        return List.of(
                MODEL,
                SIZE,
                inside(rules.pool()),
                UNHELD,
                READABLE,
                VACATED,
                respecting(rules.foreign()),
                MEMORY,
                idle(rules.thresholdPercent()));
    }

    /** Of two that hold the same, the one with the lower pid is named. */
    Comparator<Occupant> BY_MEMORY =
            Comparator.comparingLong((Occupant one) -> one.usedMib().orElse(0))
                    .thenComparing(Comparator.comparingLong(Occupant::pid).reversed());

    /** Those outside Berth that take memory, most first, as many as a person wants to read. */
    private static List<Occupant> others(Spot spot) {
        return spot.occupants().stream()
                .filter(one -> !(one.whose() instanceof Whose.Ours))
                .sorted(BY_MEMORY.reversed())
                .limit(MOST_NAMED)
                .toList();
    }

    int MOST_NAMED = 3;
}

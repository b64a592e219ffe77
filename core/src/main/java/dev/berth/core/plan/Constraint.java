package dev.berth.core.plan;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Manners;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A rule about one card: satisfied (nothing), or the reason it is not. Reads only what tasks of one
 * shape have in common.
 */
@FunctionalInterface
public interface Constraint {

    Optional<Refusal> refuses(Ask ask, Spot spot);

    Constraint MODEL =
            (ask, spot) ->
                    ask.need()
                            .type()
                            .filter(wanted -> !wanted.equals(spot.state().card().model()))
                            .map(
                                    wanted ->
                                            new Refusal.WrongModel(
                                                    wanted, spot.state().card().model()));

    Constraint NAMED =
            (ask, spot) ->
                    ask.need()
                            .devices()
                            .filter(named -> !named.indices().contains(spot.state().card().index()))
                            .map(Refusal.NotNamed::new);

    Constraint SIZE =
            (ask, spot) -> {
                long wanted = ask.neededMib().orElse(0) + ask.marginMib();
                long total = spot.state().card().totalMib();
                return wanted > total
                        ? Optional.of(new Refusal.TooSmall(wanted, total))
                        : Optional.empty();
            };

    /** Only those that share may stand beside each other. */
    Constraint UNHELD =
            (ask, spot) -> {
                for (var hold : spot.holds()) {
                    if (hold.claim().exclusive() || !ask.isShared()) {
                        return Optional.of(new Refusal.Held(hold.attempt()));
                    }
                }
                return Optional.empty();
            };

    /** An absent value is never "free". */
    Constraint READABLE =
            (ask, spot) ->
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
            (ask, spot) ->
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
            (ask, spot) -> {
                if (ask.neededMib().isEmpty()
                        || !(spot.state() instanceof CardState.Readable(_, Reading reading))) {
                    return Optional.empty();
                }
                long needed = ask.neededMib().getAsLong();
                long headroom = Headroom.mib(reading, spot.holds()).orElse(0);
                return headroom - ask.marginMib() < needed
                        ? Optional.of(
                                new Refusal.MemoryShort(
                                        needed, ask.marginMib(), headroom, others(spot)))
                        : Optional.empty();
            };

    /**
     * Without a stated need a card is available while its use is below the threshold; the threshold
     * itself is busy.
     */
    static Constraint idle(int thresholdPercent) {
        return (ask, spot) -> {
            if (ask.neededMib().isPresent()
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
        return (ask, spot) -> {
            int index = spot.state().card().index();
            if (pool.reserved().contains(index)) {
                return Optional.of(new Refusal.Reserved());
            }
            return pool.ids().isPresent() && !pool.ids().get().contains(index)
                    ? Optional.of(new Refusal.OutsidePool())
                    : Optional.empty();
        };
    }

    /** Cards that lanes leave alone. */
    Constraint LANES =
            (ask, spot) -> {
                if (!ask.manners().arePolite()) {
                    return Optional.empty();
                }
                return switch (spot.forLanes()) {
                    case OUTSIDE -> Optional.of(new Refusal.OutsideLanes());
                    case KEPT_BACK ->
                            ask.manners() == Manners.SINGLE
                                    ? Optional.of(new Refusal.KeptBack())
                                    : promised(spot);
                    case OPEN -> promised(spot);
                };
            };

    private static Optional<Refusal> promised(Spot spot) {
        return spot.promised().map(Refusal.Promised::new);
    }

    /** A lane does not crowd its own user's work. */
    static Constraint besidesOwnPython(LaneRules lanes) {
        return (ask, spot) ->
                ask.manners().arePolite() && !lanes.isExtreme()
                        ? spot.occupants().stream()
                                .filter(Occupant::isOwnPython)
                                .max(BY_MEMORY)
                                .map(Refusal.OwnPython::new)
                        : Optional.empty();
    }

    static Constraint respecting(Foreign foreign) {
        return switch (foreign) {
            case FIT -> (ask, spot) -> Optional.empty();
            case YIELD ->
                    (ask, spot) ->
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

    /**
     * What nobody may ask to be skipped. What can never change is asked first, so that it is the
     * reason shown.
     */
    static List<Constraint> firm(Rules rules) {
        return List.of(MODEL, NAMED, SIZE, inside(rules.pool()), LANES, UNHELD, READABLE, VACATED);
    }

    /** How full the card is and whose work is on it: a person may take it all the same. */
    static List<Constraint> waivable(Rules rules) {
        return List.of(
                besidesOwnPython(rules.lanes()),
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

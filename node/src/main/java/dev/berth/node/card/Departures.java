package dev.berth.node.card;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Occupant;
import dev.berth.core.card.Reading;
import dev.berth.core.card.Whose;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.engine.port.Fact.Departure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Attempts that have ended and may still be on their cards: the driver takes a while to give back
 * what a killed process held. One is off when a reading that was begun after its end shows none of
 * its processes. Reads no clock.
 */
final class Departures {

    /** Longer than a driver takes; where processes cannot be seen nobody waits longer than this. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Below this much of a card's memory nobody computes there. */
    private static final int EMPTY_PERCENT = 5;

    private final List<Leaving> all = new ArrayList<>();

    /**
     * @param strangers pids that could not be seen before the end either, so that they are
     *     another's
     */
    private record Leaving(
            AttemptId attempt, List<CardId> cards, Set<Long> strangers, long since) {}

    private enum Sight {
        OFF,
        ON,
        /** It cannot be told. */
        HIDDEN
    }

    void add(AttemptId attempt, List<Claim> claims, CardBook book, long now) {
        var cards = claims.stream().map(Claim::card).toList();
        var strangers = new HashSet<Long>();
        for (var card : cards) {
            if (book.state(card).orElse(null) instanceof CardState.Readable(_, Reading reading)) {
                reading.occupants().orElse(List.of()).stream()
                        .filter(one -> one.whose() instanceof Whose.Unknown)
                        .map(Occupant::pid)
                        .forEach(strangers::add);
            }
        }
        all.add(new Leaving(attempt, cards, strangers, now));
    }

    /**
     * Whether readings should come quickly; what is stuck on a card for long can wait for usual.
     */
    boolean areAwaited(long now) {
        return all.stream().anyMatch(one -> now - one.since() < PATIENCE.toNanos());
    }

    /** Whether a reading begun then came too early for one of them. */
    boolean cameAfter(long begun) {
        return all.stream().anyMatch(one -> one.since() - begun > 0);
    }

    /** Who is off by what the book says now, which was asked for at {@code begun}. */
    List<Departure> judge(CardBook book, long begun, long now) {
        var off = new ArrayList<Departure>();
        if (book.trouble().isPresent()) {
            return off;
        }
        for (var one : List.copyOf(all)) {
            if (begun - one.since() < 0) {
                continue;
            }
            var sight = sight(one, book);
            boolean isOver = now - one.since() >= PATIENCE.toNanos();
            if (sight == Sight.OFF || (sight == Sight.HIDDEN && isOver)) {
                all.remove(one);
                off.add(new Departure(one.attempt(), sight == Sight.OFF));
            }
        }
        return off;
    }

    private static Sight sight(Leaving one, CardBook book) {
        var sight = Sight.OFF;
        for (var card : one.cards()) {
            // A card that cannot be read is given to nobody, whoever is on it.
            if (book.state(card).orElse(null) instanceof CardState.Readable(var it, var reading)) {
                var here = sight(one, reading, it.totalMib());
                if (here == Sight.ON) {
                    return here;
                }
                sight = here == Sight.HIDDEN ? here : sight;
            }
        }
        return sight;
    }

    private static Sight sight(Leaving one, Reading reading, long totalMib) {
        if (reading.occupants().isEmpty()) {
            boolean isEmpty =
                    reading.usedMib().isPresent()
                            && reading.usedMib().getAsLong() * 100 < totalMib * EMPTY_PERCENT;
            return isEmpty ? Sight.OFF : Sight.HIDDEN;
        }
        var sight = Sight.OFF;
        for (var there : reading.occupants().get()) {
            if (there.whose() instanceof Whose.Ours(var attempt) && attempt.equals(one.attempt())) {
                return Sight.ON;
            }
            if (there.whose() instanceof Whose.Unknown && !one.strangers().contains(there.pid())) {
                sight = Sight.HIDDEN;
            }
        }
        return sight;
    }
}

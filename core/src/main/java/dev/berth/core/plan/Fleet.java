package dev.berth.core.plan;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Claim;
import dev.berth.core.task.TaskId;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The cards and what is on them.
 *
 * @param holds what attempts have claimed, by card
 * @param leaving attempts that ended and may still be on a card, by card
 * @param releasedAt when a task last let go of a card
 * @param loaded the models on a card, the least recently used first
 * @param promised who gathers cards and is to have one next
 * @param lanes which of them lanes may use; worked out only where one asks
 */
public record Fleet(
        PersistentMap<CardId, CardState> cards,
        PersistentMap<CardId, List<Hold>> holds,
        PersistentMap<CardId, List<AttemptId>> leaving,
        PersistentMap<CardId, Instant> releasedAt,
        PersistentMap<CardId, List<String>> loaded,
        PersistentMap<CardId, TaskId> promised,
        Optional<LaneRules.Cards> lanes) {

    /** Cards that nobody has ever used. */
    public static Fleet of(PersistentMap<CardId, CardState> cards) {
        return new Fleet(
                cards,
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty());
    }

    /** What attempts hold, and what is remembered of the cards. */
    public Fleet(
            PersistentMap<CardId, CardState> cards,
            PersistentMap<CardId, List<Hold>> holds,
            PersistentMap<CardId, List<AttemptId>> leaving,
            PersistentMap<CardId, Instant> releasedAt,
            PersistentMap<CardId, List<String>> loaded) {
        this(cards, holds, leaving, releasedAt, loaded, PersistentMap.empty(), Optional.empty());
    }

    public Stream<Spot> spots() {
        return cards.values().map(this::spot);
    }

    /**
     * The cards that somebody might still be given: held by nobody, or only by those that share.
     */
    List<Spot> open() {
        // Both maps are in the order of the cards: one walk goes through them side by side.
        var open = new ArrayList<Spot>();
        var held = holds.iterator();
        var next = next(held);
        for (var entry : cards) {
            while (next != null && next.getKey().compareTo(entry.getKey()) < 0) {
                next = next(held);
            }
            if (next == null || !next.getKey().equals(entry.getKey()) || isShared(next)) {
                open.add(spot(entry.getValue()));
            }
        }
        return open;
    }

    private static Map.@Nullable Entry<CardId, List<Hold>> next(
            Iterator<Map.Entry<CardId, List<Hold>>> held) {
        return held.hasNext() ? held.next() : null;
    }

    private static boolean isShared(Map.Entry<CardId, List<Hold>> held) {
        return held.getValue().stream().noneMatch(hold -> hold.claim().exclusive());
    }

    public Spot spot(CardState state) {
        var card = state.card().id();
        return new Spot(
                state,
                holds.get(card).orElse(List.of()),
                leaving.get(card).orElse(List.of()),
                releasedAt.get(card),
                loaded.get(card).orElse(List.of()),
                forLanes(state.card().index()),
                promised.get(card));
    }

    private Spot.ForLanes forLanes(int index) {
        if (lanes.isEmpty()) {
            return Spot.ForLanes.OPEN;
        }
        return !lanes.get().all().contains(index)
                ? Spot.ForLanes.OUTSIDE
                : lanes.get().kept().contains(index) ? Spot.ForLanes.KEPT_BACK : Spot.ForLanes.OPEN;
    }

    /** The same cards as lanes see them. */
    Fleet forLanes(Rules rules) {
        var theirs = rules.lanes().among(cards, rules.pool());
        return new Fleet(cards, holds, leaving, releasedAt, loaded, promised, Optional.of(theirs));
    }

    /** The same cards, of which these are to go to one task and to no lane. */
    Fleet promising(List<Spot> spots, TaskId task) {
        var more = promised;
        for (var spot : spots) {
            more = more.with(spot.state().card().id(), task);
        }
        return new Fleet(cards, holds, leaving, releasedAt, loaded, more, lanes);
    }

    /** The same cards with these given to one more attempt. */
    Fleet with(AttemptId attempt, List<Claim> claims) {
        var more = holds;
        for (var claim : claims) {
            var there = new ArrayList<>(more.get(claim.card()).orElse(List.of()));
            there.add(new Hold(attempt, claim));
            more = more.with(claim.card(), List.copyOf(there));
        }
        return new Fleet(cards, more, leaving, releasedAt, loaded, promised, lanes);
    }
}

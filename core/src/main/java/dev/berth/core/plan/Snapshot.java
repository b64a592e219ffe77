package dev.berth.core.plan;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.AttemptId;

import java.util.List;
import java.util.Optional;

/**
 * Everything a pass may look at.
 *
 * @param holds what attempts have claimed, by card
 * @param leaving attempts that ended and may still be on a card, by card
 * @param pause why nothing at all may start now, if so
 */
public record Snapshot(
        Waiting waiting,
        PersistentMap<CardId, CardState> cards,
        PersistentMap<CardId, List<Hold>> holds,
        PersistentMap<CardId, List<AttemptId>> leaving,
        Optional<WaitReason.Paused> pause) {

    Spot spot(CardState state) {
        var card = state.card().id();
        return new Spot(
                state, holds.get(card).orElse(List.of()), leaving.get(card).orElse(List.of()));
    }

    /** The same moment with one more start granted. */
    Snapshot with(Verdict.Start start) {
        var more = holds;
        for (var claim : start.claims()) {
            var there = new java.util.ArrayList<>(more.get(claim.card()).orElse(List.of()));
            there.add(new Hold(start.attempt(), claim));
            more = more.with(claim.card(), List.copyOf(there));
        }
        return new Snapshot(waiting, cards, more, leaving, pause);
    }
}

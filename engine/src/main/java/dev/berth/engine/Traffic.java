package dev.berth.engine;

import dev.berth.core.card.CardId;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who has just left which card. A restart may forget it: a new server gives no card on before it
 * has read it.
 *
 * @param leaving attempts that ended and that no later reading has shown to be off the card
 * @param releasedAt when a task last let go of a card
 * @param models which models were last used on a card
 * @param trouble why no card can be read, if so
 */
public record Traffic(
        PersistentMap<CardId, List<AttemptId>> leaving,
        PersistentMap<CardId, Instant> releasedAt,
        PersistentMap<CardId, List<ModelCache.Use>> models,
        Optional<String> trouble) {

    static final Traffic NONE =
            new Traffic(
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    PersistentMap.empty(),
                    Optional.empty());

    /** The attempt has ended; its cards are its for a moment more unless it was seen to be off. */
    Traffic released(Attempt attempt, Instant at, boolean isOffItsCards) {
        var going = leaving;
        var times = releasedAt;
        for (var claim : attempt.claims()) {
            times = times.with(claim.card(), at);
            if (!isOffItsCards) {
                var there = new ArrayList<>(going.get(claim.card()).orElse(List.of()));
                there.add(attempt.id());
                going = going.with(claim.card(), List.copyOf(there));
            }
        }
        return new Traffic(going, times, models, trouble);
    }

    /** The cards that the attempt is still thought to be on. */
    List<CardId> leftBy(AttemptId attempt) {
        var cards = new ArrayList<CardId>();
        for (var entry : leaving) {
            if (entry.getValue().contains(attempt)) {
                cards.add(entry.getKey());
            }
        }
        return cards;
    }

    Traffic departed(AttemptId attempt) {
        var going = leaving;
        for (var card : leftBy(attempt)) {
            var there = new ArrayList<>(going.get(card).orElseThrow());
            there.remove(attempt);
            going = there.isEmpty() ? going.without(card) : going.with(card, List.copyOf(there));
        }
        return new Traffic(going, releasedAt, models, trouble);
    }

    /** Nothing is loaded on a card that was taken out. */
    Traffic emptied(CardId card) {
        return new Traffic(leaving, releasedAt, models.without(card), trouble);
    }

    Traffic with(Optional<String> other) {
        return new Traffic(leaving, releasedAt, models, other);
    }

    /** The attempt's task begins or ends to use a model on its cards. */
    Traffic used(Attempt attempt, String model, ModelCache cache, Instant at) {
        var uses = models;
        for (var claim : attempt.claims()) {
            var there = uses.get(claim.card()).orElse(List.of());
            uses = uses.with(claim.card(), cache.used(there, model, at));
        }
        return new Traffic(leaving, releasedAt, uses, trouble);
    }
}

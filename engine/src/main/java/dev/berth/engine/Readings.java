package dev.berth.engine;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Fault;
import dev.berth.core.collect.PersistentMap;
import dev.berth.core.task.Owner;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Fact;

import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Draws the conclusions from what a node read of its cards. */
final class Readings {

    private Readings() {}

    static void decide(Draft draft, Fact.CardsRead fact) {
        var before = draft.state().cards();
        var seen = new TreeSet<CardId>();
        for (var state : fact.cards()) {
            seen.add(state.card().id());
            take(draft, state);
        }
        for (var entry : draft.state().cards()) {
            if (entry.getKey().node().equals(fact.node()) && !seen.contains(entry.getKey())) {
                var why = fact.trouble().orElse("missing from the latest reading");
                draft.become(
                        draft.state().with(new CardState.Unknown(entry.getValue().card(), why)));
            }
        }
        trouble(draft, fact);
        blind(draft, fact, before);
        fact.departures().forEach(departure -> depart(draft, departure));
    }

    private static void take(Draft draft, CardState state) {
        var card = state.card();
        var known = draft.state().cards().get(card.id());
        if (known.isEmpty() || !known.get().card().equals(card)) {
            draft.save(new Change.CardSaved(card));
        }
        draft.become(draft.state().with(state));
        if (state instanceof CardState.Failed(_, String why)) {
            Faults.sick(draft, card.id(), Fault.Kind.MISSING, why);
        }
    }

    /**
     * A card that could be read and, alone, no longer can is somebody's business once it has been
     * so for a while. While none can be read, nothing is known of any.
     *
     * @param before what was known of the cards before this reading
     */
    private static void blind(
            Draft draft, Fact.CardsRead fact, PersistentMap<CardId, CardState> before) {
        if (fact.trouble().isPresent()) {
            return;
        }
        var doubts = draft.state().watch().doubts();
        var blind = doubts.blind();
        for (var entry : draft.state().cards()) {
            var card = entry.getKey();
            var known = blind.get(card);
            switch (entry.getValue()) {
                case CardState.Unknown(_, String why) -> {
                    if (before.get(card).filter(CardState.Readable.class::isInstance).isPresent()) {
                        blind = blind.with(card, new Doubts.Blind(draft.at(), why, false));
                    }
                }
                case CardState.Readable _ -> {
                    blind = blind.without(card);
                    if (known.filter(Doubts.Blind::isTold).isPresent()) {
                        var data = Faults.data(entry.getValue().card());
                        draft.happened(Event.Kind.ALERT_GPU_READABLE, data);
                    }
                }
                // Of that there is another alert.
                case CardState.Failed _ -> blind = blind.without(card);
            }
        }
        draft.become(draft.state().with(draft.state().watch().with(doubts.with(blind))));
    }

    private static void trouble(Draft draft, Fact.CardsRead fact) {
        var traffic = draft.state().watch().cards();
        if (traffic.trouble().isPresent() != fact.trouble().isPresent()) {
            draft.happened(
                    fact.trouble().isPresent()
                            ? Event.Kind.ALERT_GPUS_UNREADABLE
                            : Event.Kind.ALERT_GPUS_READABLE,
                    fact.trouble()
                            .map(why -> Map.of("node", fact.node(), "why", why))
                            .orElse(Map.of("node", fact.node())));
        }
        become(draft, traffic.with(fact.trouble()));
    }

    private static void depart(Draft draft, Fact.Departure departure) {
        var traffic = draft.state().watch().cards();
        var cards = traffic.leftBy(departure.attempt());
        become(draft, traffic.departed(departure.attempt()));
        if (!departure.isProven() && !cards.isEmpty()) {
            var indices =
                    cards.stream()
                            .map(draft.state().cards()::get)
                            .flatMap(Optional::stream)
                            .map(state -> Integer.toString(state.card().index()))
                            .collect(Collectors.joining(","));
            draft.happened(
                    Event.Kind.ALERT_GPU_UNPROVEN,
                    Owner.BERTH,
                    departure.attempt(),
                    Map.of("gpus", indices));
        }
    }

    private static void become(Draft draft, Traffic traffic) {
        draft.become(draft.state().with(draft.state().watch().with(traffic)));
    }
}

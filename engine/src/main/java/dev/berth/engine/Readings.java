package dev.berth.engine;

import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseMove;
import dev.berth.core.task.StopCause;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Fact;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Draws the conclusions from what a node read of its cards. */
final class Readings {

    private Readings() {}

    static void decide(Draft draft, Fact.CardsRead fact) {
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
        fact.departures().forEach(departure -> depart(draft, departure));
    }

    private static void take(Draft draft, CardState state) {
        var card = state.card();
        var known = draft.state().cards().get(card.id());
        if (known.isEmpty() || !known.get().card().equals(card)) {
            draft.save(new Change.CardSaved(card));
        }
        draft.become(draft.state().with(state));
        boolean hadFailed = known.filter(CardState.Failed.class::isInstance).isPresent();
        switch (state) {
            case CardState.Failed(_, String why) -> {
                if (!hadFailed) {
                    fail(draft, state, why);
                }
            }
            case CardState.Readable _ -> {
                if (hadFailed) {
                    draft.happened(Event.Kind.ALERT_GPU_RETURNED, data(state));
                }
            }
            case CardState.Unknown _ -> {}
        }
    }

    private static Map<String, String> data(CardState state) {
        var data = new TreeMap<String, String>();
        data.put("gpu_id", Integer.toString(state.card().index()));
        data.put("uuid", state.card().id().uuid());
        return data;
    }

    /** What ran on a card that is gone has nothing to run on; it is ended and fails by this. */
    private static void fail(Draft draft, CardState state, String why) {
        var data = data(state);
        data.put("error", why);
        draft.happened(Event.Kind.ALERT_GPU_ERROR, data);
        for (var hold : draft.state().holds().get(state.card().id()).orElse(List.of())) {
            var attempt = draft.state().attempts().get(hold.attempt()).orElseThrow();
            if (attempt.phase() instanceof Phase.Starting
                    || attempt.phase() instanceof Phase.Running) {
                draft.save(attempt.after(new PhaseMove.Stop(StopCause.CARD_FAILED, draft.at())));
                draft.happened(
                        Event.Kind.ATTEMPT_STOPPING,
                        Owner.BERTH,
                        attempt.id(),
                        Map.of("cause", "card_failed"));
                draft.act(new Effect.Stop(attempt.id()));
            }
        }
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

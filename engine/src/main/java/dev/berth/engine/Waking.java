package dev.berth.engine;

import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseMove;
import dev.berth.core.task.StopCause;
import dev.berth.engine.Doubts.Blind;
import dev.berth.engine.port.Event;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Does what time alone brings: ends rests, ends what has said that it is over and is not, and tells
 * of a card that cannot be read.
 */
final class Waking {

    /** An attempt that says that it is over has so long to be. */
    static final Duration GRACE = Duration.ofSeconds(30);

    /**
     * A card that alone cannot be read for so long is worth a word; one that is gone has failed by
     * then.
     */
    static final Duration BLIND = Duration.ofSeconds(5);

    private Waking() {}

    static void decide(Draft draft) {
        draft.become(draft.state().awake(draft.at()));
        var late = lingering(draft.state()).filter(one -> !until(one).isAfter(draft.at())).toList();
        for (var attempt : late) {
            draft.save(attempt.after(new PhaseMove.Stop(StopCause.SAID_OVER, draft.at())));
            draft.happened(
                    Event.Kind.ATTEMPT_STOPPING,
                    Owner.BERTH,
                    attempt.id(),
                    Map.of("cause", "said_over"));
            draft.act(new Effect.Stop(attempt.id()));
        }
        tellOfBlindness(draft);
    }

    private static void tellOfBlindness(Draft draft) {
        var doubts = draft.state().watch().doubts();
        var blind = doubts.blind();
        for (var entry : doubts.blind()) {
            var one = entry.getValue();
            if (one.isTold() || one.since().plus(BLIND).isAfter(draft.at())) {
                continue;
            }
            blind = blind.with(entry.getKey(), new Blind(one.since(), one.why(), true));
            var card = draft.state().cards().get(entry.getKey()).orElseThrow().card();
            var data = Faults.data(card);
            data.put("why", one.why());
            draft.happened(Event.Kind.ALERT_GPU_UNREADABLE, data);
        }
        draft.become(draft.state().with(draft.state().watch().with(doubts.with(blind))));
    }

    /** When there will be something to do. */
    static Optional<Instant> due(State state) {
        var rest = state.waiting().resting().first().map(entry -> entry.getKey().until());
        var blind =
                state.watch()
                        .doubts()
                        .blind()
                        .values()
                        .filter(one -> !one.isTold())
                        .map(one -> one.since().plus(BLIND));
        return Stream.of(rest.stream(), lingering(state).map(Waking::until), blind)
                .flatMap(times -> times)
                .min(Comparator.naturalOrder());
    }

    private static Stream<Attempt> lingering(State state) {
        return state.attempts()
                .values()
                .filter(one -> one.said().isPresent() && one.phase() instanceof Phase.Running);
    }

    private static Instant until(Attempt attempt) {
        return attempt.said().orElseThrow().at().plus(GRACE);
    }
}

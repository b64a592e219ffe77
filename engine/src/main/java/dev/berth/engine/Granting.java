package dev.berth.engine;

import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.TaskMove;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Node;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Turns the planner's verdicts into attempts. */
final class Granting {

    private final Planner planner;
    private final Place place;

    /** Where attempts go and under which server start. */
    record Place(String node, String bootId, long epoch) {}

    Granting(Planner planner, Place place) {
        this.planner = planner;
        this.place = place;
    }

    static Snapshot snapshot(State state, Optional<WaitReason.Paused> pause) {
        return new Snapshot(
                state.waiting(),
                state.cards(),
                state.holds(),
                state.watch().cards().leaving(),
                pause);
    }

    void decide(Draft draft, Optional<WaitReason.Paused> pause) {
        for (var verdict : planner.pass(snapshot(draft.state(), pause))) {
            if (verdict instanceof Verdict.Start start) {
                grant(draft, start);
            }
        }
    }

    private void grant(Draft draft, Verdict.Start start) {
        var task = draft.state().tasks().get(start.task()).orElseThrow();
        var attempt =
                new Attempt(
                        start.attempt(),
                        place.node(),
                        place.epoch(),
                        place.bootId(),
                        start.claims(),
                        draft.at(),
                        new Phase.Starting());
        draft.save(task.after(new TaskMove.Start(attempt.id().number())));
        draft.save(attempt);
        var cards =
                start.claims().stream()
                        .map(Claim::card)
                        .map(id -> draft.state().cards().get(id).orElseThrow().card())
                        .toList();
        var indices =
                cards.stream()
                        .map(card -> Integer.toString(card.index()))
                        .collect(Collectors.joining(","));
        draft.happened(
                Event.Kind.ATTEMPT_GRANTED, Owner.BERTH, attempt.id(), Map.of("gpus", indices));
        draft.act(new Effect.Launch(new Node.Launch(attempt, task.spec(), cards)));
    }
}

package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.card.Card;
import dev.berth.core.card.CardId;
import dev.berth.core.card.CardState;
import dev.berth.core.card.Fault;
import dev.berth.core.diagnosis.Diagnosis;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseMove;
import dev.berth.core.task.StopCause;
import dev.berth.core.task.Task;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;
import dev.berth.engine.port.Fact;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Takes cards out of use, and gives them back. */
final class Faults {

    private Faults() {}

    /**
     * One alert for a fault, however often it is noticed; only one that is worse than what is known
     * is news. A card that a person is awaited for does not come back without one.
     */
    static void sick(Draft draft, CardId card, Fault.Kind kind, String why) {
        var state = draft.state().cards().get(card);
        var known = draft.state().books().faults().get(card);
        boolean isNews = known.isEmpty() || (kind.endsWork() && !known.get().kind().endsWork());
        if (state.isEmpty() || !isNews) {
            return;
        }
        boolean isAwaited = known.filter(one -> one.stage() == Fault.Stage.OUT).isPresent();
        boolean isRelapse = draft.state().watch().doubts().isRelapse(card, draft.at());
        var stage = isAwaited || isRelapse ? Fault.Stage.OUT : Fault.Stage.TESTING;
        takeOut(draft, new Fault(card, kind, why, draft.at(), stage));
        var data = data(state.get().card());
        data.put("error", why);
        data.put("kind", kind.word());
        draft.happened(Event.Kind.ALERT_GPU_ERROR, data);
        if (isRelapse && !isAwaited) {
            giveUp(draft, state.get().card(), "it failed again soon after it had come back");
        }
        if (kind.endsWork()) {
            endWork(draft, card);
        }
        test(draft, card);
    }

    /** Nobody's work is disturbed by a test: it begins when the card's last attempt has ended. */
    private static void test(Draft draft, CardId card) {
        boolean isTested =
                draft.state()
                        .books()
                        .faults()
                        .get(card)
                        .filter(fault -> fault.stage() == Fault.Stage.TESTING)
                        .isPresent();
        if (isTested && !draft.state().holds().contains(card)) {
            draft.act(new Effect.Test(card));
        }
    }

    /** An attempt has let go of its cards. */
    static void left(Draft draft, Attempt attempt) {
        attempt.claims().forEach(claim -> test(draft, claim.card()));
    }

    private static void takeOut(Draft draft, Fault fault) {
        draft.save(new Change.FaultSaved(fault));
        var watch = draft.state().watch();
        draft.become(draft.state().with(watch.with(watch.cards().emptied(fault.card()))));
    }

    private static void giveUp(Draft draft, Card card, String why) {
        var data = data(card);
        data.put("error", why);
        draft.happened(Event.Kind.ALERT_GPU_UNRECOVERABLE, data);
    }

    /** What runs on a card that cannot be trusted has nothing to run on; it fails by this. */
    private static void endWork(Draft draft, CardId card) {
        for (var hold : draft.state().holds().get(card).orElse(List.of())) {
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

    /** A card that is too hot cools down without anybody's help: it is tested until it has. */
    static void tested(Draft draft, Fact.CardTested fact) {
        var fault =
                draft.state()
                        .books()
                        .faults()
                        .get(fact.card())
                        .filter(one -> one.stage() == Fault.Stage.TESTING);
        if (fault.isEmpty()) {
            return;
        }
        var card = draft.state().cards().get(fact.card()).orElseThrow().card();
        if (fact.failure().isEmpty()) {
            draft.save(new Change.FaultDropped(fact.card()));
            var doubts = draft.state().watch().doubts().healed(fact.card(), draft.at());
            doubt(draft, doubts);
            draft.happened(Event.Kind.ALERT_GPU_RETURNED, data(card));
        } else if (fault.get().kind() == Fault.Kind.HOT) {
            test(draft, fact.card());
        } else {
            draft.save(new Change.FaultSaved(fault.get().with(Fault.Stage.OUT)));
            giveUp(draft, card, fact.failure().get());
        }
    }

    /** A person's word. What runs there may finish. */
    static Reply decide(Draft draft, Command.TakeOut command) {
        var card = draft.state().cardAt(command.index()).map(CardState::card);
        if (card.isEmpty()) {
            return unknown(command.index());
        }
        if (draft.state().books().faults().contains(card.get().id())) {
            return new Reply.Refused(
                    Rejected.conflict(
                                    "card.out_already",
                                    "GPU " + command.index() + " is out of use already.")
                            .with("gpu", command.index()));
        }
        takeOut(
                draft,
                new Fault(
                        card.get().id(),
                        Fault.Kind.PERSON,
                        command.reason(),
                        draft.at(),
                        Fault.Stage.OUT));
        var data = data(card.get());
        data.put("reason", command.reason());
        draft.happened(Event.Kind.ALERT_GPU_QUARANTINED, command.actor(), data);
        return new Reply.Noted();
    }

    /** A person's word: after a test, or without one. */
    static Reply decide(Draft draft, Command.HandBack command) {
        var card = draft.state().cardAt(command.index()).map(CardState::card);
        if (card.isEmpty()) {
            return unknown(command.index());
        }
        var id = card.get().id();
        var fault = draft.state().books().faults().get(id);
        if (fault.isEmpty()) {
            return new Reply.Refused(
                    Rejected.conflict(
                                    "card.not_out",
                                    "GPU " + command.index() + " is not out of use.")
                            .with("gpu", command.index()));
        }
        if (command.isForced()) {
            draft.save(new Change.FaultDropped(id));
            draft.happened(Event.Kind.ALERT_GPU_HANDED_BACK, command.actor(), data(card.get()));
        } else {
            draft.save(new Change.FaultSaved(fault.get().with(Fault.Stage.TESTING)));
            test(draft, id);
        }
        return new Reply.Noted();
    }

    private static Reply unknown(int index) {
        return new Reply.Refused(
                Rejected.unknown("card.unknown", "There is no GPU " + index + " here.")
                        .with("gpu", index));
    }

    /** An attempt on one card failed; whether that is the card's doing, many of them tell. */
    static void failed(Draft draft, Task task, Attempt attempt, Optional<Diagnosis> diagnosis) {
        if (attempt.claims().size() != 1
                || diagnosis.filter(one -> one.cause().isOfTheCard()).isEmpty()) {
            return;
        }
        var card = attempt.claims().getFirst().card();
        var sign = new Doubts.Sign(task.spec().command(), draft.at());
        var doubts = draft.state().watch().doubts().with(card, sign);
        doubt(draft, doubts);
        if (doubts.areEnough(card)) {
            sick(
                    draft,
                    card,
                    Fault.Kind.FAILURES,
                    "different tasks failed on it like on a broken card: "
                            + diagnosis.get().line());
        }
    }

    /** What works there speaks for the card. */
    static void worked(Draft draft, Attempt attempt) {
        var doubts = draft.state().watch().doubts();
        for (var claim : attempt.claims()) {
            doubts = doubts.withoutSigns(claim.card());
        }
        doubt(draft, doubts);
    }

    private static void doubt(Draft draft, Doubts doubts) {
        draft.become(draft.state().with(draft.state().watch().with(doubts)));
    }

    static TreeMap<String, String> data(Card card) {
        var data = new TreeMap<String, String>();
        data.put("gpu_id", Integer.toString(card.index()));
        data.put("uuid", card.id().uuid());
        return data;
    }
}

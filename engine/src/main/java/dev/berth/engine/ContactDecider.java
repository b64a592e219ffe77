package dev.berth.engine;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.PhaseTransition;
import dev.berth.port.event.AlertPayload;
import dev.berth.port.event.AttemptPayload;
import dev.berth.port.event.TaskAlert;

/**
 * Decides what it means that Berth loses an attempt or cannot end it, and that this is over. One
 * alert when it begins and one when it ends, however often the node reports it.
 */
final class ContactDecider {

    private ContactDecider() {}

    static boolean isLostOrStuck(Phase phase) {
        return phase instanceof Phase.Lost || phase instanceof Phase.Stuck;
    }

    /**
     * @param move loses the attempt, or reports that it cannot be ended
     */
    static void lose(Decision decision, Attempt before, PhaseTransition move) {
        var after = before.after(move);
        if (after.phase().equals(before.phase())) {
            return;
        }
        decision.save(after);
        switch (after.phase()) {
            case Phase.Lost(_, String why) -> {
                addEvent(decision, after, new AttemptPayload.AttemptLost(why));
                if (!(before.phase() instanceof Phase.Lost)) {
                    alert(
                            decision,
                            after,
                            new TaskAlert.AttemptUnobservable(
                                    name(decision, after),
                                    why,
                                    decision.state().gpuIndices(after)));
                }
            }
            case Phase.Stuck(_, _, String what) -> {
                addEvent(decision, after, new AttemptPayload.AttemptStuck(what));
                if (!(before.phase() instanceof Phase.Stuck)) {
                    alert(
                            decision,
                            after,
                            new TaskAlert.AttemptUnstoppable(
                                    name(decision, after),
                                    what,
                                    decision.state().gpuIndices(after)));
                }
            }
            case Phase.Handed _,
                    Phase.Starting _,
                    Phase.Running _,
                    Phase.Stopping _,
                    Phase.Ended _ -> {}
        }
    }

    /** The attempt was seen alive. */
    static void found(Decision decision, Attempt before) {
        if (before.phase() instanceof Phase.Lost) {
            alert(decision, before, new TaskAlert.AttemptFound(name(decision, before)));
        }
    }

    /** The attempt is over. Call before its task may leave the state. */
    static void ended(Decision decision, Attempt before) {
        if (isLostOrStuck(before.phase())) {
            alert(
                    decision,
                    before,
                    new TaskAlert.AttemptReleased(
                            name(decision, before), decision.state().gpuIndices(before)));
        }
    }

    private static void addEvent(Decision decision, Attempt attempt, AttemptPayload payload) {
        decision.addEvent(Owner.BERTH, attempt.id(), payload);
    }

    private static void alert(Decision decision, Attempt attempt, AlertPayload payload) {
        decision.addEvent(Owner.BERTH, attempt.id(), payload);
    }

    private static String name(Decision decision, Attempt attempt) {
        AttemptId id = attempt.id();
        return decision.state().tasks().get(id.task()).orElseThrow().spec().name();
    }
}

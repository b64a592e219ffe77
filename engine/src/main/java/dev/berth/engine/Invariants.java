package dev.berth.engine;

import dev.berth.core.card.CardId;
import dev.berth.core.plan.Hold;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.TaskState;

import java.util.List;
import java.util.Optional;

/**
 * What must hold of every state, whatever happened. Costs the number of live attempts, not of
 * tasks.
 */
public final class Invariants {

    private Invariants() {}

    /** The first rule that does not hold, in words. */
    public static Optional<String> broken(State state) {
        for (var entry : state.holds()) {
            var wrong = broken(entry.getKey(), entry.getValue());
            if (wrong.isPresent()) {
                return wrong;
            }
        }
        return state.attempts()
                .values()
                .map(attempt -> broken(attempt, state))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> broken(CardId card, List<Hold> holds) {
        return holds.size() > 1 && holds.stream().anyMatch(hold -> hold.claim().exclusive())
                ? Optional.of("card " + card + " is held exclusively and by another: " + holds)
                : Optional.empty();
    }

    private static Optional<String> broken(Attempt attempt, State state) {
        var task = state.tasks().get(attempt.id().task());
        var granted =
                task.map(one -> one.state())
                        .filter(TaskState.Running.class::isInstance)
                        .map(TaskState.Running.class::cast);
        if (granted.isEmpty() || granted.get().number() != attempt.id().number()) {
            return Optional.of(
                    "attempt "
                            + attempt.id()
                            + " lives, but its task is "
                            + task.map(one -> one.state().toString()).orElse("finished"));
        }
        return Optional.empty();
    }
}

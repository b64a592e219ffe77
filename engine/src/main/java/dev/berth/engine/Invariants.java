package dev.berth.engine;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.plan.HeldClaim;
import dev.berth.core.task.Attempt;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Rules that every state must satisfy. Checking is linear in live attempts, not in tasks. */
public final class Invariants {

    private Invariants() {}

    /** Describes the first rule that does not hold. */
    public static Optional<String> firstBroken(EngineState state) {
        for (var entry : state.holds()) {
            var wrong = firstBroken(entry.getKey(), entry.getValue());
            if (wrong.isPresent()) {
                return wrong;
            }
        }
        return state.attempts()
                .values()
                .map(attempt -> firstBroken(attempt, state))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> firstBroken(GpuId card, List<HeldClaim> holds) {
        return holds.size() > 1 && holds.stream().anyMatch(hold -> hold.claim().isExclusive())
                ? Optional.of("card " + card + " is held exclusively and by another: " + holds)
                : Optional.empty();
    }

    private static Optional<String> firstBroken(Attempt attempt, EngineState state) {
        var task = state.tasks().get(attempt.id().task());
        var live = task.map(one -> one.state().liveAttempt()).orElse(OptionalInt.empty());
        if (live.isEmpty() || live.getAsInt() != attempt.id().number()) {
            return Optional.of(
                    "attempt "
                            + attempt.id()
                            + " lives, but its task is "
                            + task.map(one -> one.state().toString()).orElse("finished"));
        }
        return Optional.empty();
    }
}

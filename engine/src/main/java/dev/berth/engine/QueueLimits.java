package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.task.Owner;
import dev.berth.core.task.TaskFootprint;
import dev.berth.core.task.TaskSpec;

import java.util.List;
import java.util.Optional;

/**
 * Limits on what may wait.
 *
 * @param mostOfOneUser tasks of one user that may wait at the same time
 * @param taskBytes memory that all unfinished tasks may take
 */
record QueueLimits(int mostOfOneUser, long taskBytes) {

    private static final long MIB = 1 << 20;

    /** A refusal if these tasks would be too many for their owner or for the memory. */
    Optional<Rejected> refusal(Owner owner, List<TaskSpec> more, EngineState state) {
        return userRefusal(owner, more.size(), state).or(() -> memoryRefusal(more, state));
    }

    private Optional<Rejected> userRefusal(Owner owner, int more, EngineState state) {
        int now = count(owner, state);
        return more <= mostOfOneUser - now
                ? Optional.empty()
                : Optional.of(
                        Rejected.tooMany("queue.user_full")
                                .with("now", now)
                                .with("most", mostOfOneUser));
    }

    /** How many tasks of this user wait, drafts included. */
    static int count(Owner owner, EngineState state) {
        var principal = owner.principal();
        return state.waiting().countsByPrincipal().count(principal)
                + state.drafts().count(principal);
    }

    private Optional<Rejected> memoryRefusal(List<TaskSpec> more, EngineState state) {
        long added = more.stream().mapToLong(TaskFootprint::of).sum();
        return added <= taskBytes - state.taskBytes()
                ? Optional.empty()
                : Optional.of(
                        Rejected.noSpace("queue.memory_full")
                                .with("tasks", state.tasks().size())
                                .with("used_mib", Math.ceilDiv(state.taskBytes(), MIB))
                                .with("max_mib", taskBytes / MIB));
    }
}

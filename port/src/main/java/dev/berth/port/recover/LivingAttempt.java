package dev.berth.port.recover;

import dev.berth.core.id.AttemptId;
import dev.berth.core.task.ProcessKey;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An attempt with at least one living process.
 *
 * @param shim empty if it has ended and only other processes are left
 * @param pids of all processes that were found
 */
public record LivingAttempt(AttemptId id, Optional<ProcessKey> shim, List<Long> pids) {
    public LivingAttempt {
        pids = List.copyOf(pids);
    }

    /** With one more process, which may be the shim. */
    public LivingAttempt with(Optional<ProcessKey> other, long pid) {
        var all = new ArrayList<>(pids);
        all.add(pid);
        return new LivingAttempt(id, shim.isPresent() ? shim : other, all);
    }
}

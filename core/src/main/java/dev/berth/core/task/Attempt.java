package dev.berth.core.task;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One start of a task.
 *
 * @param node the host it runs on
 * @param epoch which server start granted it; reports of an older one about another attempt are
 *     ignored
 * @param bootId that host's boot when it was granted: after a reboot nothing of it can be alive
 * @param said what its own script said of its end
 */
public record Attempt(
        AttemptId id,
        String node,
        long epoch,
        String bootId,
        List<Claim> claims,
        Instant grantedAt,
        Phase phase,
        Optional<Said> said) {

    /** One of which nobody has said anything. */
    public Attempt(
            AttemptId id,
            String node,
            long epoch,
            String bootId,
            List<Claim> claims,
            Instant grantedAt,
            Phase phase) {
        this(id, node, epoch, bootId, claims, grantedAt, phase, Optional.empty());
    }

    public Attempt {
        claims = List.copyOf(claims);
    }

    public Attempt after(PhaseMove move) {
        return new Attempt(id, node, epoch, bootId, claims, grantedAt, phase.after(move), said);
    }

    public Attempt with(Said word) {
        return new Attempt(id, node, epoch, bootId, claims, grantedAt, phase, Optional.of(word));
    }

    public boolean isLive() {
        return phase.isLive();
    }
}

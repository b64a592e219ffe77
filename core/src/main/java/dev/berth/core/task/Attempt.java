package dev.berth.core.task;

import java.time.Instant;
import java.util.List;

/**
 * One start of a task.
 *
 * @param node the host it runs on
 * @param epoch which server start granted it; reports of an older one about another attempt are
 *     ignored
 * @param bootId that host's boot when it was granted: after a reboot nothing of it can be alive
 */
public record Attempt(
        AttemptId id,
        String node,
        long epoch,
        String bootId,
        List<Claim> claims,
        Instant grantedAt,
        Phase phase) {

    public Attempt {
        claims = List.copyOf(claims);
    }

    public Attempt after(PhaseMove move) {
        return new Attempt(id, node, epoch, bootId, claims, grantedAt, phase.after(move));
    }

    public boolean isLive() {
        return phase.isLive();
    }
}

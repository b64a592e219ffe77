package dev.berth.core.task;

import dev.berth.core.diagnosis.Cause;

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
 * @param findings what was found out when it had ended
 */
public record Attempt(
        AttemptId id,
        String node,
        long epoch,
        String bootId,
        List<Claim> claims,
        Instant grantedAt,
        Phase phase,
        Optional<Said> said,
        Findings findings) {

    /** One of which nobody has said anything. */
    public Attempt(
            AttemptId id,
            String node,
            long epoch,
            String bootId,
            List<Claim> claims,
            Instant grantedAt,
            Phase phase) {
        this(id, node, epoch, bootId, claims, grantedAt, phase, Optional.empty(), Findings.NONE);
    }

    public Attempt {
        claims = List.copyOf(claims);
    }

    public Attempt after(PhaseMove move) {
        return new Attempt(
                id, node, epoch, bootId, claims, grantedAt, phase.after(move), said, findings);
    }

    public Attempt with(Said word) {
        return new Attempt(
                id, node, epoch, bootId, claims, grantedAt, phase, Optional.of(word), findings);
    }

    public Attempt with(Findings found) {
        return new Attempt(id, node, epoch, bootId, claims, grantedAt, phase, said, found);
    }

    /** By what its log says. */
    public boolean isOutOfMemory() {
        return findings.diagnosis().filter(one -> one.cause() == Cause.OOM).isPresent();
    }

    /** What went wrong with it, for people: nothing where all was well. */
    public Optional<String> trouble() {
        if (isOutOfMemory()) {
            return Optional.of("CUDA out of memory");
        }
        var error = phase instanceof Phase.Ended(_, Ending ending, _) ? ending.error() : "";
        if (!error.isEmpty()) {
            return Optional.of(error);
        }
        return said.filter(word -> !word.isWell()).map(_ -> "its script reported abnormal_exit");
    }

    public boolean isLive() {
        return phase.isLive();
    }
}

package dev.berth.core.task;

import dev.berth.core.id.AttemptId;
import dev.berth.findings.diagnosis.Cause;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One start of a task.
 *
 * @param node the host it runs on
 * @param epoch number of the server start that scheduled it; reports from an older epoch about
 *     another attempt are ignored
 * @param bootId boot id of the host when it was scheduled: after a reboot none of its processes can
 *     be alive
 * @param scriptReport what the script itself reported about its end
 * @param worker the worker that runs it; the attempt itself if it is the process of a worker
 */
public record Attempt(
        AttemptId id,
        String node,
        long epoch,
        String bootId,
        List<Claim> claims,
        Instant scheduledAt,
        Phase phase,
        Optional<ScriptReport> scriptReport,
        AttemptFindings findings,
        Optional<AttemptId> worker) {

    /** Without a report of its script and without findings. */
    public Attempt(
            AttemptId id,
            String node,
            long epoch,
            String bootId,
            List<Claim> claims,
            Instant grantedAt,
            Phase phase) {
        this(
                id,
                node,
                epoch,
                bootId,
                claims,
                grantedAt,
                phase,
                Optional.empty(),
                AttemptFindings.NONE,
                Optional.empty());
    }

    public Attempt {
        claims = List.copyOf(claims);
    }

    public Attempt after(PhaseTransition move) {
        return new Attempt(
                id,
                node,
                epoch,
                bootId,
                claims,
                scheduledAt,
                phase.after(move),
                scriptReport,
                findings,
                worker);
    }

    /** The same on the host and the GPUs that a cluster chose for it: it holds them from now on. */
    public Attempt placedOn(String host, ShimProcess process, List<Claim> held) {
        return new Attempt(
                id,
                host,
                epoch,
                process.key().bootId(),
                held,
                process.startedAt(),
                phase,
                scriptReport,
                findings,
                worker);
    }

    public Attempt with(ScriptReport report) {
        return new Attempt(
                id,
                node,
                epoch,
                bootId,
                claims,
                scheduledAt,
                phase,
                Optional.of(report),
                findings,
                worker);
    }

    public Attempt with(AttemptFindings found) {
        return new Attempt(
                id, node, epoch, bootId, claims, scheduledAt, phase, scriptReport, found, worker);
    }

    public Attempt withWorker(AttemptId other) {
        return new Attempt(
                id,
                node,
                epoch,
                bootId,
                claims,
                scheduledAt,
                phase,
                scriptReport,
                findings,
                Optional.of(other));
    }

    public boolean isOutOfMemory() {
        return findings.diagnosis().filter(found -> found.cause() == Cause.OOM).isPresent();
    }

    /** What went wrong, for people; empty on success. */
    public Optional<String> errorText() {
        if (isOutOfMemory()) {
            return Optional.of(ErrorSentence.OUT_OF_MEMORY.text());
        }
        var error = phase instanceof Phase.Ended(_, Ending ending, _) ? ending.error() : "";
        if (!error.isEmpty()) {
            return Optional.of(error);
        }
        return scriptReport
                .filter(report -> !report.isSuccess())
                .map(_ -> ErrorSentence.SCRIPT_REPORT.text());
    }

    /** Whether its process is a worker, which runs other attempts. */
    public boolean isWorker() {
        return worker.filter(id::equals).isPresent();
    }

    /** Whether a worker runs it, so that it has no process of its own. */
    public boolean isCall() {
        return worker.isPresent() && !isWorker();
    }

    public boolean isLive() {
        return phase.isLive();
    }
}

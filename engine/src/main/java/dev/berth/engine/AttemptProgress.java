package dev.berth.engine;

import dev.berth.findings.progress.Progress;

import java.time.Instant;

/**
 * Progress of a running attempt, read from its output.
 *
 * @param at time of this progress; for a stalled attempt, of its last progress
 * @param isStalled no progress for much longer than usual for this attempt
 */
public record AttemptProgress(Progress progress, Instant at, boolean isStalled) {

    AttemptProgress stalled(Instant since) {
        return new AttemptProgress(progress, since, true);
    }
}

package dev.berth.node.progress;

import dev.berth.core.id.AttemptId;
import dev.berth.findings.progress.Progress;
import dev.berth.findings.progress.ProgressReader;
import dev.berth.node.log.LogEndText;
import dev.berth.port.Fact;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Follows the log of one attempt. */
final class ProgressFollower {

    private static final int MAX_BYTES = 16 * 1024;
    private static final long STALL_FACTOR = 5;

    private final AttemptId attempt;
    private final Path log;
    private final Duration stallAfter;
    private final ProgressReader reader = new ProgressReader();
    private final ProgressRate rate = new ProgressRate();
    private long size = -1;
    private long settled;
    private Optional<Progress> current = Optional.empty();
    private Optional<Progress> reported = Optional.empty();
    private long reportedAt;
    private long advances;
    private long advancedAt;
    private boolean isStallReported;

    ProgressFollower(AttemptId attempt, Path log, Duration stallAfter) {
        this.attempt = attempt;
        this.log = log;
        this.stallAfter = stallAfter;
    }

    void check(long now, Consumer<Fact> facts) throws IOException {
        if (LogEndText.sizeOf(log) != size) {
            read(now);
        }
        if (current.isPresent()) {
            // While the task makes no progress, the estimated time left still shrinks. That must
            // not count as progress.
            if (!isStallReported) {
                report(rate.withMeasuredRate(current.get(), now), now, facts);
            }
            checkStall(current.get(), now, facts);
        }
    }

    private void read(long now) throws IOException {
        var end = LogEndText.read(log, settled, MAX_BYTES);
        size = end.size();
        settled = end.completeUpTo();
        current = reader.read(end.text());
        if (reader.changeCount() != advances) {
            advances = reader.changeCount();
            advancedAt = now;
            if (isStallReported) {
                // The end of a reported stall is reported too, however small the step.
                isStallReported = false;
                reported = Optional.empty();
            }
            current.ifPresent(progress -> rate.advanced(progress, now));
        }
    }

    private void report(Progress progress, long now, Consumer<Fact> facts) {
        boolean isDue =
                reported.isEmpty()
                        || (now - reportedAt >= ProgressMonitor.CHECK_INTERVAL.toNanos()
                                && isChanged(reported.get(), progress));
        if (isDue) {
            reported = Optional.of(progress);
            reportedAt = now;
            facts.accept(new Fact.Progressed(attempt, progress));
        }
    }

    private static boolean isChanged(Progress before, Progress after) {
        return before.percent() != after.percent()
                || before.total() != after.total()
                || !before.unit().equals(after.unit())
                || before.timeLeft().isPresent() != after.timeLeft().isPresent()
                || differs(
                        before.timeLeft().orElse(Duration.ZERO),
                        after.timeLeft().orElse(Duration.ZERO));
    }

    /** By more than 10 %. */
    private static boolean differs(Duration before, Duration after) {
        return before.minus(after).abs().multipliedBy(10).compareTo(before) > 0;
    }

    /** Reports each stall once. */
    private void checkStall(Progress progress, long now, Consumer<Fact> facts) {
        var idleFor = Duration.ofNanos(now - advancedAt);
        if (!stallAfter.isZero()
                && !isStallReported
                && progress.done() < progress.total()
                && stallLimit(progress).map(most -> idleFor.compareTo(most) >= 0).orElse(false)) {
            isStallReported = true;
            facts.accept(new Fact.Stalled(attempt, idleFor));
        }
    }

    /**
     * How long it may go without progress. A first epoch may take hours, so nothing is known until
     * a second one was counted; a progress bar moves in small steps from its beginning.
     */
    private Optional<Duration> stallLimit(Progress progress) {
        var usual = rate.meanInterval();
        if (usual.isEmpty() && progress.unit().equals("epoch")) {
            return Optional.empty();
        }
        var stated =
                progress.perSecond().isPresent() && progress.perSecond().getAsDouble() > 0
                        ? Duration.ofMillis((long) (1000 / progress.perSecond().getAsDouble()))
                        : Duration.ZERO;
        var slowest = longer(usual.orElse(Duration.ZERO), stated).multipliedBy(STALL_FACTOR);
        return Optional.of(longer(stallAfter, slowest));
    }

    private static Duration longer(Duration first, Duration second) {
        return first.compareTo(second) >= 0 ? first : second;
    }
}

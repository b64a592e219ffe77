package dev.berth.node.progress;

import dev.berth.core.progress.Progress;
import dev.berth.core.progress.ProgressReader;
import dev.berth.core.task.AttemptId;
import dev.berth.engine.port.Fact;
import dev.berth.node.log.LogEnd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Follows the log of one attempt. */
final class Follower {

    private static final int MOST_BYTES = 16 * 1024;
    private static final long TIMES_THE_USUAL = 5;

    private final AttemptId attempt;
    private final Path log;
    private final Duration stallAfter;
    private final ProgressReader reader = new ProgressReader();
    private final Pace pace = new Pace();
    private long size = -1;
    private long settled;
    private Optional<Progress> current = Optional.empty();
    private Optional<Progress> told = Optional.empty();
    private long toldAt;
    private long advances;
    private long advancedAt;
    private boolean isStallTold;

    Follower(AttemptId attempt, Path log, Duration stallAfter) {
        this.attempt = attempt;
        this.log = log;
        this.stallAfter = stallAfter;
    }

    void look(long now, Consumer<Fact> facts) throws IOException {
        if (Files.exists(log) && Files.size(log) != size) {
            read(now);
        }
        if (current.isPresent()) {
            // What it has left grows less while it stands still, which is no advance.
            if (!isStallTold) {
                tell(pace.complete(current.get(), now), now, facts);
            }
            judge(current.get(), now, facts);
        }
    }

    private void read(long now) throws IOException {
        var end = LogEnd.read(log, settled, MOST_BYTES);
        size = end.size();
        settled = end.settled();
        current = reader.read(end.text());
        if (reader.advances() != advances) {
            advances = reader.advances();
            advancedAt = now;
            if (isStallTold) {
                // Whoever heard of the standstill hears of its end, however small the step.
                isStallTold = false;
                told = Optional.empty();
            }
            current.ifPresent(progress -> pace.advanced(progress, now));
        }
    }

    private void tell(Progress progress, long now, Consumer<Fact> facts) {
        boolean isDue =
                told.isEmpty()
                        || (now - toldAt >= ProgressWatch.LOOK_EVERY.toNanos()
                                && isNews(told.get(), progress));
        if (isDue) {
            told = Optional.of(progress);
            toldAt = now;
            facts.accept(new Fact.Progressed(attempt, progress));
        }
    }

    private static boolean isNews(Progress before, Progress after) {
        return before.percent() != after.percent()
                || before.total() != after.total()
                || !before.unit().equals(after.unit())
                || before.left().isPresent() != after.left().isPresent()
                || differs(before.left().orElse(Duration.ZERO), after.left().orElse(Duration.ZERO));
    }

    /** By more than a tenth. */
    private static boolean differs(Duration before, Duration after) {
        return before.minus(after).abs().multipliedBy(10).compareTo(before) > 0;
    }

    /** Once for each time that it stands still. */
    private void judge(Progress progress, long now, Consumer<Fact> facts) {
        var standing = Duration.ofNanos(now - advancedAt);
        if (!stallAfter.isZero()
                && !isStallTold
                && progress.done() < progress.total()
                && patience(progress).map(most -> standing.compareTo(most) >= 0).orElse(false)) {
            isStallTold = true;
            facts.accept(new Fact.Stalled(attempt, standing));
        }
    }

    /**
     * How long it may stand still. A first epoch may take hours, so that nothing is known before a
     * second one was counted; a bar moves in small steps from its beginning.
     */
    private Optional<Duration> patience(Progress progress) {
        var usual = pace.usual();
        if (usual.isEmpty() && progress.unit().equals("epoch")) {
            return Optional.empty();
        }
        var stated =
                progress.perSecond().isPresent() && progress.perSecond().getAsDouble() > 0
                        ? Duration.ofMillis((long) (1000 / progress.perSecond().getAsDouble()))
                        : Duration.ZERO;
        var slow = longer(usual.orElse(Duration.ZERO), stated).multipliedBy(TIMES_THE_USUAL);
        return Optional.of(longer(stallAfter, slow));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}

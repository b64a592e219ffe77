package dev.berth.node.progress;

import dev.berth.core.progress.Progress;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalDouble;

/** How an attempt advances, measured by when it was seen to. */
final class Pace {

    private static final int MOST = 16;
    private static final double NANOS = 1e9;

    private final Deque<Sight> sights = new ArrayDeque<>();

    private record Sight(long nanos, Progress progress) {
        boolean isBefore(Progress later) {
            return progress.total() == later.total()
                    && progress.unit().equals(later.unit())
                    && progress.done() <= later.done();
        }
    }

    void advanced(Progress progress, long nanos) {
        if (!sights.isEmpty() && !sights.getLast().isBefore(progress)) {
            sights.clear();
        }
        sights.addLast(new Sight(nanos, progress));
        if (sights.size() > MOST) {
            sights.removeFirst();
        }
    }

    /** Between two advances, where more than one was seen. */
    Optional<Duration> usual() {
        return sights.size() < 2
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(span() / (sights.size() - 1)));
    }

    /** The same with rate and time left, where its line says neither and both can be measured. */
    Progress complete(Progress progress, long now) {
        if (progress.perSecond().isPresent() || sights.size() < 2 || span() <= 0) {
            return progress;
        }
        long made = sights.getLast().progress().done() - sights.getFirst().progress().done();
        if (made <= 0) {
            return progress;
        }
        double rate = made / (span() / NANOS);
        double since = (now - sights.getLast().nanos()) / NANOS;
        double left = Math.max(0, (progress.total() - progress.done()) / rate - since);
        return new Progress(
                progress.done(),
                progress.total(),
                progress.unit(),
                OptionalDouble.of(rate),
                progress.left().or(() -> Optional.of(Duration.ofMillis((long) (left * 1000)))),
                progress.line());
    }

    private long span() {
        return sights.getLast().nanos() - sights.getFirst().nanos();
    }
}

package dev.berth.node.progress;

import dev.berth.findings.progress.Progress;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalDouble;

/** Measures the rate of an attempt from the times at which its progress was observed. */
final class ProgressRate {

    private static final int MAX_OBSERVATIONS = 16;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Deque<Observation> observations = new ArrayDeque<>();

    private record Observation(long nanos, Progress progress) {
        boolean isBefore(Progress later) {
            return progress.total() == later.total()
                    && progress.unit().equals(later.unit())
                    && progress.done() <= later.done();
        }
    }

    void advanced(Progress progress, long nanos) {
        if (!observations.isEmpty() && !observations.getLast().isBefore(progress)) {
            observations.clear();
        }
        observations.addLast(new Observation(nanos, progress));
        if (observations.size() > MAX_OBSERVATIONS) {
            observations.removeFirst();
        }
    }

    /** Mean time between two advances; empty before the second one. */
    Optional<Duration> meanInterval() {
        return observations.size() < 2
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(span() / (observations.size() - 1)));
    }

    /** Adds rate and time left, if the log line states neither and both can be measured. */
    Progress withMeasuredRate(Progress progress, long now) {
        if (progress.perSecond().isPresent() || observations.size() < 2 || span() <= 0) {
            return progress;
        }
        long steps =
                observations.getLast().progress().done()
                        - observations.getFirst().progress().done();
        if (steps <= 0) {
            return progress;
        }
        double rate = steps / (span() / NANOS_PER_SECOND);
        double since = (now - observations.getLast().nanos()) / NANOS_PER_SECOND;
        double left = Math.max(0, (progress.total() - progress.done()) / rate - since);
        return new Progress(
                progress.done(),
                progress.total(),
                progress.unit(),
                OptionalDouble.of(rate),
                progress.timeLeft().or(() -> Optional.of(Duration.ofMillis((long) (left * 1000)))),
                progress.line());
    }

    private long span() {
        return observations.getLast().nanos() - observations.getFirst().nanos();
    }
}

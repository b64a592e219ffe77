package dev.berth.node.gpu;

import dev.berth.core.gpu.GpuState;
import dev.berth.core.id.AttemptId;
import dev.berth.core.task.GpuConsumption;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Accumulates the GPU use of the attempts on this node from successive readings, starting when an
 * attempt is first seen on a GPU. A reading counts until the next one, or until the attempt has
 * ended. Reads no clock.
 */
final class GpuUseTracker {

    /** A killed server loses lastAt most this much. */
    static final Duration SAVE_INTERVAL = Duration.ofSeconds(10);

    /**
     * A reading counts lastAt most for the time that a slow driver needs for an answer; after that
     * the use is not known.
     */
    private static final Duration MAX_INTERVAL = GpuStates.SILENCE_LIMIT;

    private static final double NANOS_PER_SECOND = 1e9;

    private final NodeAttempts attempts;
    private final SortedMap<AttemptId, AttemptEntry> entries = new TreeMap<>();

    private static final class AttemptEntry {
        private GpuUse use;
        private Optional<GpuUseSample> last = Optional.empty();
        private long lastAt;
        private long savedAt;

        private AttemptEntry(GpuUse use, long now) {
            this.use = use;
            this.lastAt = now;
            this.savedAt = now;
        }

        private GpuUse upTo(long now) {
            double seconds = Math.min(now - lastAt, MAX_INTERVAL.toNanos()) / NANOS_PER_SECOND;
            return last.map(sample -> use.plus(sample, seconds)).orElse(use);
        }
    }

    GpuUseTracker(NodeAttempts attempts) {
        this.attempts = attempts;
    }

    /** Continues with the use that an earlier server recorded. */
    void resume(AttemptId attempt, GpuUse earlier, long now) {
        entries.put(attempt, new AttemptEntry(earlier, now));
    }

    void onReading(List<GpuState> states, long now) {
        var gpus = new GpusOfAttempts(states, attempts);
        for (var attempt : attempts.list()) {
            if (!attempt.claims().isEmpty()) {
                add(attempt.attempt(), GpuUseSample.of(attempt.attempt(), gpus), now);
            }
        }
        attempts.calls()
                .forEach(
                        (call, worker) ->
                                attempts.find(worker)
                                        .map(holder -> GpuUseSample.of(holder.attempt(), gpus))
                                        .ifPresent(sample -> add(call, sample, now)));
    }

    private void add(AttemptId attempt, GpuUseSample sample, long now) {
        var before = Optional.ofNullable(entries.get(attempt));
        if (before.isEmpty() && !sample.isPresent()) {
            return;
        }
        var entry = before.orElseGet(() -> new AttemptEntry(GpuUse.NONE, now));
        entry.use = entry.upTo(now);
        entry.last = Optional.of(sample);
        entry.lastAt = now;
        entries.put(attempt, entry);
    }

    Optional<GpuConsumption> useOf(AttemptId attempt, long now) {
        return Optional.ofNullable(entries.get(attempt))
                .flatMap(entry -> entry.upTo(now).consumption());
    }

    void remove(AttemptId attempt) {
        entries.remove(attempt);
    }

    /**
     * The totals that were not saved for this time. They count as saved from now on. A call ends
     * with its server.
     */
    SortedMap<AttemptId, GpuUse> dueForSave(Duration age, long now) {
        var due = new TreeMap<AttemptId, GpuUse>();
        entries.forEach(
                (attempt, entry) -> {
                    boolean isDue = now - entry.savedAt >= age.toNanos();
                    if (isDue && !attempts.calls().containsKey(attempt)) {
                        entry.savedAt = now;
                        due.put(attempt, entry.upTo(now));
                    }
                });
        return due;
    }
}

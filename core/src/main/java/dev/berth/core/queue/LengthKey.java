package dev.berth.core.queue;

import dev.berth.core.predict.RunKind;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;

/**
 * Tasks with the same key are predicted to run equally long.
 *
 * @param limitSeconds the time limit; 0 if there is none
 * @param spec of any of these tasks; empty if the order does not depend on lengths
 */
public record LengthKey(long fingerprint, long limitSeconds, Optional<TaskSpec> spec)
        implements Comparable<LengthKey> {

    static final LengthKey ANY = new LengthKey(0, 0, Optional.empty());

    static LengthKey of(Task task) {
        return new LengthKey(
                RunKind.of(task.owner(), task.spec()).fingerprint(),
                task.spec().options().timeLimit().map(Duration::toSeconds).orElse(0L),
                Optional.of(task.spec()));
    }

    @Override
    public int compareTo(LengthKey other) {
        int byRuns = Long.compare(fingerprint, other.fingerprint);
        return byRuns != 0 ? byRuns : Long.compare(limitSeconds, other.limitSeconds);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LengthKey key && compareTo(key) == 0;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(fingerprint) * 31 + Long.hashCode(limitSeconds);
    }
}

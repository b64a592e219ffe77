package dev.berth.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What this server has seen of a model.
 *
 * @param hits tasks that found it loaded
 * @param misses tasks that had to wait until it was loaded
 * @param evictions workers that were ended because others needed the GPU
 * @param failures workers in a row that failed before they had answered a task
 * @param retryAt no worker is started before
 * @param setAside why no worker is started until the model is changed
 * @param loadTime of the last worker
 */
public record ModelRecord(
        long hits,
        long misses,
        long evictions,
        int failures,
        Optional<Instant> retryAt,
        Optional<String> setAside,
        Optional<Duration> loadTime) {

    static final ModelRecord NEW =
            new ModelRecord(0, 0, 0, 0, Optional.empty(), Optional.empty(), Optional.empty());

    private static final int MAX_FAILURES = 3;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    ModelRecord hit() {
        return new ModelRecord(hits + 1, misses, evictions, failures, retryAt, setAside, loadTime);
    }

    ModelRecord missed() {
        return new ModelRecord(hits, misses + 1, evictions, failures, retryAt, setAside, loadTime);
    }

    ModelRecord evicted() {
        return new ModelRecord(hits, misses, evictions + 1, failures, retryAt, setAside, loadTime);
    }

    ModelRecord loaded(Duration time) {
        return new ModelRecord(
                hits, misses, evictions, failures, retryAt, setAside, Optional.of(time));
    }

    /** A worker has answered a task. */
    ModelRecord answered() {
        return failures == 0 && retryAt.isEmpty()
                ? this
                : new ModelRecord(hits, misses, evictions, 0, Optional.empty(), setAside, loadTime);
    }

    /** A worker has failed; the next one waits, each time longer. */
    ModelRecord failed(String why, Instant at) {
        int count = failures + 1;
        return new ModelRecord(
                hits,
                misses,
                evictions,
                count,
                Optional.of(at.plus(FIRST_PAUSE.multipliedBy(1L << Math.min(count - 1, 5)))),
                count >= MAX_FAILURES ? Optional.of(why) : setAside,
                loadTime);
    }

    /** The model was changed, or a person wants another try. */
    ModelRecord renewed() {
        return new ModelRecord(
                hits, misses, evictions, 0, Optional.empty(), Optional.empty(), loadTime);
    }

    /** Why no worker may be started now. */
    Optional<String> unusable(Instant at) {
        return setAside.or(
                () ->
                        retryAt.filter(at::isBefore)
                                .map(until -> "its last worker failed; the next is started soon"));
    }
}

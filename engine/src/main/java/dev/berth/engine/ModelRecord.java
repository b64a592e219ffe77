package dev.berth.engine;

import dev.berth.core.id.TaskId;
import dev.berth.core.model.ModelTimes;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What this server has seen of a model.
 *
 * @param loadTime of the last worker
 * @param runTime mean of its tasks; the last ones count most
 */
public record ModelRecord(
        Uses uses, Failures failures, Optional<Duration> loadTime, Optional<Duration> runTime) {

    static final ModelRecord NEW =
            new ModelRecord(new Uses(0, 0, 0), Failures.NONE, Optional.empty(), Optional.empty());

    /** The weight of the last task in the mean: one in this number. */
    private static final int MEAN_OF = 5;

    /**
     * @param hits tasks that found it loaded
     * @param misses tasks that had to wait until it was loaded
     * @param evictions workers that were ended because others needed the GPU
     */
    public record Uses(long hits, long misses, long evictions) {}

    /**
     * Workers that failed.
     *
     * @param inARow that failed before they had answered a task
     * @param retryAt no worker is started before
     * @param setAside why no worker is started until the model is changed
     * @param last the task of the worker that failed last
     */
    public record Failures(
            int inARow,
            Optional<Instant> retryAt,
            Optional<String> setAside,
            Optional<TaskId> last) {

        static final Failures NONE =
                new Failures(0, Optional.empty(), Optional.empty(), Optional.empty());

        private static final int MOST = 3;
        private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

        private Failures plus(TaskId worker, String why, Instant at) {
            int count = inARow + 1;
            var pause = FIRST_PAUSE.multipliedBy(1L << Math.min(count - 1, 5));
            return new Failures(
                    count,
                    Optional.of(at.plus(pause)),
                    count >= MOST ? Optional.of(why) : setAside,
                    Optional.of(worker));
        }

        private Failures answered() {
            return inARow == 0 && retryAt.isEmpty()
                    ? this
                    : new Failures(0, Optional.empty(), setAside, last);
        }
    }

    private ModelRecord with(Uses other) {
        return new ModelRecord(other, failures, loadTime, runTime);
    }

    private ModelRecord with(Failures other) {
        return new ModelRecord(uses, other, loadTime, runTime);
    }

    ModelRecord hit() {
        return with(new Uses(uses.hits + 1, uses.misses, uses.evictions));
    }

    ModelRecord missed() {
        return with(new Uses(uses.hits, uses.misses + 1, uses.evictions));
    }

    ModelRecord evicted() {
        return with(new Uses(uses.hits, uses.misses, uses.evictions + 1));
    }

    ModelRecord loaded(Duration time) {
        return new ModelRecord(uses, failures, Optional.of(time), runTime);
    }

    /** A worker has answered a task after this time. */
    ModelRecord answered(Duration time) {
        var mean =
                runTime.map(before -> before.plus(time.minus(before).dividedBy(MEAN_OF)))
                        .orElse(time);
        return new ModelRecord(uses, failures.answered(), loadTime, Optional.of(mean));
    }

    /** A worker has failed; the next one waits, each time longer. */
    ModelRecord failed(TaskId worker, String why, Instant at) {
        return with(failures.plus(worker, why, at));
    }

    /** The model was changed, or a person wants another try. */
    ModelRecord renewed() {
        return with(Failures.NONE);
    }

    public Optional<String> setAside() {
        return failures.setAside;
    }

    /** Why no worker may be started now. */
    Optional<String> unusable(Instant at) {
        return failures.setAside.or(
                () ->
                        failures.retryAt
                                .filter(at::isBefore)
                                .map(_ -> "its last worker failed; the next is started soon"));
    }

    /** Empty until it was loaded and used. */
    Optional<ModelTimes> times() {
        return loadTime.flatMap(load -> runTime.map(run -> new ModelTimes(load, run)));
    }
}

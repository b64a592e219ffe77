package dev.berth.core.forecast;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.PromisedStart;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Expected starts and ends, as of one moment and without later submissions. A task has none if they
 * depend on a run time that nobody knows.
 *
 * @param waiting the waiting tasks that have an expected start
 * @param ends the expected ends of running tasks
 * @param promise the start that safe backfill keeps for the first waiting head
 * @param unknown why the other waiting tasks have no expected start
 */
public record Forecast(
        Instant at,
        SortedMap<TaskId, ExpectedRun> waiting,
        SortedMap<TaskId, TimeRange> ends,
        Optional<PromisedStart> promise,
        UnknownStarts unknown) {

    /** Nothing is known. */
    public static final Forecast NONE =
            new Forecast(
                    Instant.EPOCH,
                    new TreeMap<>(),
                    new TreeMap<>(),
                    Optional.empty(),
                    UnknownStarts.NOT_COMPUTED);

    public Forecast {
        waiting = Collections.unmodifiableSortedMap(new TreeMap<>(waiting));
        ends = Collections.unmodifiableSortedMap(new TreeMap<>(ends));
    }

    /**
     * @param end empty if the run time of the task is unknown
     * @param gpus that it will probably get
     */
    public record ExpectedRun(TimeRange start, Optional<TimeRange> end, List<GpuId> gpus) {

        public ExpectedRun {
            gpus = List.copyOf(gpus);
        }
    }

    /** The expected start of a waiting task. */
    public Optional<TimeRange> start(TaskId task) {
        return Optional.ofNullable(waiting.get(task)).map(ExpectedRun::start);
    }

    /** The expected end of a waiting or running task. */
    public Optional<TimeRange> end(TaskId task) {
        return Optional.ofNullable(ends.get(task))
                .or(() -> Optional.ofNullable(waiting.get(task)).flatMap(ExpectedRun::end));
    }
}

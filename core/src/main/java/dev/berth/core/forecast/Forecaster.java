package dev.berth.core.forecast;

import dev.berth.core.forecast.Forecast.ExpectedRun;
import dev.berth.core.forecast.RunLengths.Quantile;
import dev.berth.core.forecast.VirtualRun.Span;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.ClusterWait;
import dev.berth.core.plan.ClusterWindow;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.predict.RunTimes;
import dev.berth.core.queue.QueueId;
import dev.berth.core.queue.WaitingTasks;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Computes forecasts with the planner that decides the real starts: one run with the median and one
 * with the 90 % bound of each run time. Also for a snapshot that is not real, to find out what a
 * change would give. A computation takes up to about a second: never on the engine's thread.
 *
 * @param runSpacing between two starts of one file run
 */
public record Forecaster(Planner planner, Duration runSpacing) {

    /** How many tasks are forecast: the first ones in the order of the queues. */
    public static final int MAX_TASKS = 2_000;

    /**
     * @param running all running tasks of the snapshot
     */
    public Forecast forecast(Snapshot snapshot, List<RunningTask> running, RunTimes times) {
        if (snapshot.cluster().isPresent()) {
            return inCluster(snapshot, snapshot.cluster().get(), running, times);
        }
        var from = firstTasks(snapshot);
        var medians = virtual(from, running, new RunLengths(times, Quantile.MEDIAN)).run();
        var bounds = virtual(from, running, new RunLengths(times, Quantile.P90)).run();
        var starts = new TreeMap<TaskId, ExpectedRun>();
        medians.spans()
                .forEach(
                        (id, span) ->
                                starts.put(
                                        id,
                                        expected(
                                                span,
                                                Optional.ofNullable(bounds.spans().get(id)))));
        var ends = new TreeMap<TaskId, TimeRange>();
        medians.ends()
                .forEach(
                        (id, end) ->
                                ends.put(
                                        id,
                                        range(end, Optional.ofNullable(bounds.ends().get(id)))));
        var unknown = UnknownStarts.of(new ForecastInput(this, snapshot, running, times));
        return new Forecast(snapshot.at(), starts, ends, medians.promise(), unknown);
    }

    /** The expected start of one task: much faster than a whole forecast if it starts soon. */
    public Optional<TimeRange> start(
            TaskId task, Snapshot snapshot, List<RunningTask> running, RunTimes times) {
        if (snapshot.cluster().isPresent()) {
            return expectedStart(snapshot.cluster().get(), task);
        }
        var from = firstTasks(snapshot);
        var medians = virtual(from, running, new RunLengths(times, Quantile.MEDIAN));
        var start = medians.runUntilStart(task);
        if (start.isEmpty()) {
            return Optional.empty();
        }
        var bounds = virtual(from, running, new RunLengths(times, Quantile.P90));
        return Optional.of(range(start.get(), bounds.runUntilStart(task)));
    }

    /** The cluster decides the starts: only it can say when they come. */
    private Forecast inCluster(
            Snapshot snapshot, ClusterWindow window, List<RunningTask> running, RunTimes times) {
        var starts = new TreeMap<TaskId, ExpectedRun>();
        for (var task : window.waits().keySet()) {
            expectedStart(window, task)
                    .ifPresent(
                            start ->
                                    starts.put(
                                            task,
                                            new ExpectedRun(start, Optional.empty(), List.of())));
        }
        var ends = new TreeMap<TaskId, TimeRange>();
        var medians = new RunLengths(times, Quantile.MEDIAN);
        var bounds = new RunLengths(times, Quantile.P90);
        for (var one : running) {
            medians.end(one, snapshot.at())
                    .ifPresent(
                            end ->
                                    ends.put(
                                            one.task().id(),
                                            range(end, bounds.end(one, snapshot.at()))));
        }
        var unknown = UnknownStarts.of(new ForecastInput(this, snapshot, running, times));
        return new Forecast(snapshot.at(), starts, ends, Optional.empty(), unknown);
    }

    private static Optional<TimeRange> expectedStart(ClusterWindow window, TaskId task) {
        return Optional.ofNullable(window.waits().get(task))
                .flatMap(ClusterWait::expectedStart)
                .map(start -> new TimeRange(start, Optional.empty()));
    }

    VirtualRun virtual(Snapshot from, List<RunningTask> running, RunLengths lengths) {
        return new VirtualRun(planner, from, running, lengths, runSpacing);
    }

    private static ExpectedRun expected(Span median, Optional<Span> bound) {
        return new ExpectedRun(
                range(median.start(), bound.map(Span::start)),
                median.end().map(end -> range(end, bound.flatMap(Span::end))),
                median.gpus());
    }

    /** If one task takes longer, another one may start earlier. */
    static TimeRange range(Instant expected, Optional<Instant> latest) {
        return new TimeRange(
                expected, latest.map(then -> then.isBefore(expected) ? expected : then));
    }

    /** Only with the first tasks. Those without a GPU do not compete with the others. */
    static Snapshot firstTasks(Snapshot all) {
        var waiting = all.waiting();
        if (waiting.size() <= MAX_TASKS) {
            return all;
        }
        var first =
                Stream.of(
                                waiting.inOrder(all::usedGpuSeconds)
                                        .filter(task -> !QueueId.of(task).equals(QueueId.CPU)),
                                waiting.inOrder(QueueId.CPU, all::usedGpuSeconds),
                                waiting.delayed().values())
                        .flatMap(tasks -> tasks.limit(MAX_TASKS))
                        .reduce(
                                WaitingTasks.none(waiting.order()),
                                WaitingTasks::with,
                                (_, later) -> later);
        var running =
                waiting.lanes().runningByLane().values().flatMap(lane -> lane.values()).toList();
        for (var task : running) {
            first = first.withRunning(task);
        }
        return all.with(first.at(all.at()));
    }
}

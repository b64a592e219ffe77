package dev.berth.core.forecast;

import dev.berth.core.forecast.RunLengths.Quantile;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.queue.WaitingTasks;
import dev.berth.core.task.Task;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Expected starts of one task as it is, and as it would be after changes. All answers together may
 * cost only so much; when that is used up, no start is known any more.
 */
public final class WhatIf {

    /** About a tenth of a second. */
    private static final long MAX_WORK = 300_000;

    private static final Duration HORIZON = Duration.ofDays(90);

    private final ForecastInput input;
    private @Nullable Snapshot first;
    private long workLeft = MAX_WORK;

    public WhatIf(ForecastInput input) {
        this.input = input;
    }

    /** The expected start of a waiting task. */
    public Optional<TimeRange> start(Task task) {
        var all = input.snapshot();
        int before = all.waiting().position(task, all::usedGpuSeconds).orElse(0);
        if (before >= Forecaster.MAX_TASKS) {
            return Optional.empty();
        }
        var last = all.at().plus(HORIZON);
        return start(task.id(), first(), last, Quantile.MEDIAN)
                .map(
                        start ->
                                Forecaster.range(
                                        start, start(task.id(), first(), last, Quantile.P90)));
    }

    /** The expected start of the task after a change, if it is not later than this. */
    public Optional<Instant> startUntil(Instant last, Task before, Task after) {
        var waiting = first().waiting().without(before).with(after);
        return start(after.id(), first().with(waiting), last, Quantile.MEDIAN);
    }

    /** The expected ends of the running tasks, as far as they are known. */
    public SortedMap<TaskId, Instant> ends() {
        var none = WaitingTasks.none(input.snapshot().waiting().order());
        var run = run(input.snapshot().with(none), Quantile.MEDIAN);
        return Collections.unmodifiableSortedMap(run.ends());
    }

    /** Only the first of very many tasks. */
    private Snapshot first() {
        var known = first;
        if (known == null) {
            known = Forecaster.firstTasks(input.snapshot());
            first = known;
        }
        return known;
    }

    private Optional<Instant> start(TaskId task, Snapshot from, Instant last, Quantile quantile) {
        if (workLeft <= 0) {
            return Optional.empty();
        }
        var run = run(from, quantile);
        var start = run.runUntilStart(task, last, workLeft);
        workLeft -= run.work();
        return start;
    }

    private VirtualRun run(Snapshot from, Quantile quantile) {
        var lengths = new RunLengths(input.times(), quantile);
        return input.forecaster().virtual(from, input.running(), lengths);
    }
}

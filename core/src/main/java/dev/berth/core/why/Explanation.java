package dev.berth.core.why;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.forecast.ForecastInput;
import dev.berth.core.forecast.TimeRange;
import dev.berth.core.forecast.UnknownStart;
import dev.berth.core.forecast.UnknownStarts;
import dev.berth.core.forecast.WhatIf;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.ClusterWait;
import dev.berth.core.plan.ClusterWindow;
import dev.berth.core.plan.GpuAssessment;
import dev.berth.core.plan.Plan;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.PromisedStart;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Verdict;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Why one task waits, and what would help.
 *
 * @param gpus all GPUs by index, each with its refusal; none for a task without a GPU
 */
public record Explanation(
        Verdict verdict,
        List<GpuAssessment> gpus,
        Ahead ahead,
        ExpectedTimes expected,
        List<Suggestion> suggestions) {

    public Explanation {
        gpus = List.copyOf(gpus);
        suggestions = List.copyOf(suggestions);
    }

    /**
     * When the task will probably start, as far as this is known.
     *
     * @param unknown why the start of a waiting task is not known
     * @param promised the start that no other task may delay, if it is the first blocked head
     * @param ends of the running tasks
     */
    public record ExpectedTimes(
            Optional<TimeRange> start,
            Optional<UnknownStart> unknown,
            Optional<Instant> promised,
            SortedMap<TaskId, Instant> ends) {

        static final ExpectedTimes UNKNOWN =
                new ExpectedTimes(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Collections.emptySortedMap());
    }

    /**
     * A state and the plan that the planner made of it.
     *
     * @param input the state, and what is expected of its running tasks
     */
    public record Planned(ForecastInput input, Plan plan) {
        public static Planned of(ForecastInput input) {
            return new Planned(input, input.forecaster().planner().plan(input.snapshot()));
        }

        public Planner planner() {
            return input.forecaster().planner();
        }

        public Snapshot snapshot() {
            return input.snapshot();
        }
    }

    /**
     * @param tasks all tasks that have not ended
     * @param longestLimit the longest time limit that a task may have
     */
    public static Explanation of(
            Planned now, Task task, PersistentMap<TaskId, Task> tasks, Duration longestLimit) {
        var planner = now.planner();
        if (now.snapshot().cluster().isPresent()) {
            return inCluster(now, now.snapshot().cluster().get(), task);
        }
        return switch (planner.explain(now.snapshot(), now.plan(), task)) {
            case Verdict.Start start ->
                    new Explanation(
                            start,
                            planner.assess(now.snapshot(), task),
                            Ahead.NONE,
                            ExpectedTimes.UNKNOWN,
                            List.of());
            case Verdict.Wait wait -> waiting(now, task, wait, tasks, longestLimit);
        };
    }

    /** The cluster decides about its GPUs and about the order, so neither is explained here. */
    private static Explanation inCluster(Planned now, ClusterWindow cluster, Task task) {
        var start =
                Optional.ofNullable(cluster.waits().get(task.id()))
                        .flatMap(ClusterWait::expectedStart)
                        .map(at -> new TimeRange(at, Optional.empty()));
        return new Explanation(
                now.planner().explain(now.snapshot(), now.plan(), task),
                List.of(),
                Ahead.NONE,
                new ExpectedTimes(
                        start,
                        start.isPresent()
                                ? Optional.empty()
                                : Optional.of(UnknownStarts.of(now.input()).of(task)),
                        Optional.empty(),
                        Collections.emptySortedMap()),
                List.of());
    }

    private static Explanation waiting(
            Planned now,
            Task task,
            Verdict.Wait wait,
            PersistentMap<TaskId, Task> tasks,
            Duration longestLimit) {
        var gpus = now.planner().refusals(now.plan(), task);
        var whatIf = new WhatIf(now.input());
        var start = whatIf.start(task);
        var promised =
                now.plan()
                        .promise()
                        .filter(one -> one.head().id().equals(task.id()))
                        .flatMap(PromisedStart::at);
        var suggestions = new Suggestions(now, whatIf, longestLimit);
        return new Explanation(
                wait,
                gpus,
                Ahead.of(now.snapshot(), task, gpus, tasks),
                new ExpectedTimes(
                        start,
                        start.isPresent()
                                ? Optional.empty()
                                : Optional.of(UnknownStarts.of(now.input()).of(task)),
                        promised,
                        whatIf.ends()),
                suggestions.of(task, wait, gpus, start.map(TimeRange::expected)));
    }
}

package dev.berth.core.why;

import dev.berth.core.forecast.ForecastInput;
import dev.berth.core.forecast.WhatIf;
import dev.berth.core.plan.GpuAssessment;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds edits that let a waiting task start earlier, by planning with the edited task.
 *
 * @param longestLimit the longest time limit that a task may have
 */
public record Suggestions(ForecastInput input, Duration longestLimit) {

    /** More would be read by nobody. */
    public static final int MAX = 8;

    /** Earlier by less is not worth a change. */
    private static final Duration MIN_GAIN = Duration.ofMinutes(1);

    /** The same as a part of the wait: forecasts are not exact. */
    private static final int MIN_GAIN_PART = 10;

    private static final Duration HORIZON = Duration.ofDays(90);

    /**
     * @param gpus all GPUs, with their refusals for this task
     */
    List<Suggestion> of(Task task, Verdict.Wait wait, List<GpuAssessment> gpus) {
        if (snapshot().pause().isPresent() || snapshot().waiting().isDelayed(task)) {
            return List.of();
        }
        var now = new ArrayList<Suggestion>();
        var others = new ArrayList<List<TaskEdit>>();
        for (var variants : candidates(task, gpus)) {
            firstThatStarts(task, variants)
                    .ifPresentOrElse(
                            edit -> now.add(new Suggestion(edit, Optional.empty())),
                            () -> others.add(variants));
        }
        return Stream.concat(now.stream(), later(task, wait, others).stream()).limit(MAX).toList();
    }

    private List<List<TaskEdit>> candidates(Task task, List<GpuAssessment> gpus) {
        var all = new ArrayList<List<TaskEdit>>();
        if (task.spec().requirements().need() instanceof Need.Gpus need) {
            var ask = planner().requirement(need, Shape.of(task.spec()));
            all.addAll(new EditCandidates(task, need, ask, gpus).all());
        }
        all.add(EditCandidates.timeLimits(task, longestLimit));
        all.add(EditCandidates.priorities(task));
        return all;
    }

    /** If the last variant, which asks for the least, does not help, the others do not either. */
    private Optional<TaskEdit> firstThatStarts(Task task, List<TaskEdit> variants) {
        if (variants.isEmpty() || !startsNow(task, variants.getLast())) {
            return Optional.empty();
        }
        return variants.stream().filter(edit -> startsNow(task, edit)).findFirst();
    }

    private boolean startsNow(Task task, TaskEdit edit) {
        var waiting = snapshot().waiting().without(task).with(edited(task, edit));
        return planner().plan(snapshot().with(waiting)).starts().stream()
                .anyMatch(start -> start.task().equals(task.id()));
    }

    private static Task edited(Task task, TaskEdit edit) {
        return task.with(edit.applyTo(task.spec()));
    }

    /** Those that start clearly earlier, the earliest first. */
    private List<Suggestion> later(Task task, Verdict.Wait wait, List<List<TaskEdit>> candidates) {
        var whatIf = new WhatIf(input);
        var last = latestUseful(task, wait, whatIf);
        if (last.isEmpty()) {
            return List.of();
        }
        var found = new ArrayList<Suggestion>();
        for (var variants : candidates) {
            if (variants.isEmpty()
                    || whatIf.startUntil(last.get(), task, edited(task, variants.getLast()))
                            .isEmpty()) {
                continue;
            }
            for (var edit : variants) {
                var start = whatIf.startUntil(last.get(), task, edited(task, edit));
                if (start.isPresent()) {
                    found.add(new Suggestion(edit, start));
                    break;
                }
            }
        }
        found.sort(Comparator.comparing(one -> one.expectedStart().orElseThrow()));
        return found;
    }

    /** Empty if nobody knows when the task starts, so that no start is known to be earlier. */
    private Optional<Instant> latestUseful(Task task, Verdict.Wait wait, WhatIf whatIf) {
        var at = snapshot().at();
        if (wait.reasons().stream().anyMatch(WaitReason.NeverPossible.class::isInstance)) {
            return Optional.of(at.plus(HORIZON));
        }
        return whatIf.start(task)
                .map(
                        start -> {
                            var part = Duration.between(at, start).dividedBy(MIN_GAIN_PART);
                            return start.minus(part.compareTo(MIN_GAIN) > 0 ? part : MIN_GAIN);
                        })
                .filter(last -> last.isAfter(at));
    }

    private Planner planner() {
        return input.forecaster().planner();
    }

    private Snapshot snapshot() {
        return input.snapshot();
    }
}

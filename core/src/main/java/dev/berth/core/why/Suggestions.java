package dev.berth.core.why;

import dev.berth.core.forecast.WhatIf;
import dev.berth.core.plan.GpuAssessment;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.PromisedStart;
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
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds edits that let a waiting task start earlier, by planning with the edited task.
 *
 * @param longestLimit the longest time limit that a task may have
 */
record Suggestions(Explanation.Planned now, WhatIf whatIf, Duration longestLimit) {

    /** More would be read by nobody. */
    static final int MAX = 8;

    /** Earlier by less is not worth a change. */
    private static final Duration MIN_GAIN = Duration.ofMinutes(1);

    /** The same as a part of the wait: forecasts are not exact. */
    private static final int MIN_GAIN_PART = 10;

    private static final Duration HORIZON = Duration.ofDays(90);

    /** Two changes of the same thing. */
    private static final List<String> SAME =
            List.of("AnyDevices FewerDevices", "LessMemory StatedMemory");

    /**
     * @param gpus all GPUs, with their refusals for this task
     * @param start its expected start as it is
     */
    List<Suggestion> of(
            Task task, Verdict.Wait wait, List<GpuAssessment> gpus, Optional<Instant> start) {
        if (snapshot().starts().pause().isPresent() || snapshot().waiting().isDelayed(task)) {
            return List.of();
        }
        var last = latestUseful(wait, start);
        var found = verified(task, last, candidates(task, gpus));
        if (found.isEmpty()) {
            found = verified(task, last, pairs(task, gpus));
        }
        return found.stream().limit(MAX).toList();
    }

    private List<Suggestion> verified(
            Task task, Optional<Instant> last, List<List<TaskEdit>> candidates) {
        var found = new ArrayList<Suggestion>();
        var others = new ArrayList<List<TaskEdit>>();
        for (var variants : candidates) {
            firstThatStarts(task, variants)
                    .ifPresentOrElse(
                            edit -> found.add(new Suggestion(edit, Optional.empty())),
                            () -> others.add(variants));
        }
        last.ifPresent(time -> found.addAll(later(task, time, others)));
        return found;
    }

    private List<List<TaskEdit>> candidates(Task task, List<GpuAssessment> gpus) {
        var all = new ArrayList<>(needEdits(task, gpus));
        all.add(EditCandidates.timeLimits(task, longestLimit, untilPromise()));
        all.add(EditCandidates.priorities(task));
        return all;
    }

    private List<List<TaskEdit>> needEdits(Task task, List<GpuAssessment> gpus) {
        return task.spec().requirements().need() instanceof Need.Gpus need
                ? new EditCandidates(
                                task,
                                need,
                                planner().requirement(need, Shape.of(task.spec())),
                                gpus)
                        .all()
                : List.of();
    }

    /**
     * Each two changes of the need, the second one in view of the GPUs as the first one leaves
     * them. A lower number of GPUs comes second, so that no more are given up than necessary.
     */
    private List<List<TaskEdit>> pairs(Task task, List<GpuAssessment> gpus) {
        var pairs = new ArrayList<List<TaskEdit>>();
        var seen = new TreeSet<>(SAME);
        for (var firsts : needEdits(task, gpus).reversed()) {
            var first = firsts.getLast();
            var edited = edited(task, first);
            for (var seconds : needEdits(edited, planner().refusals(now.plan(), edited))) {
                var second = seconds.getLast();
                boolean isOther = !first.getClass().equals(second.getClass());
                if (isOther && seen.add(kinds(first, second))) {
                    pairs.add(
                            seconds.stream()
                                    .<TaskEdit>map(one -> new TaskEdit.Both(first, one))
                                    .toList());
                }
            }
        }
        return pairs;
    }

    private static String kinds(TaskEdit first, TaskEdit second) {
        return Stream.of(first, second)
                .map(edit -> edit.getClass().getSimpleName())
                .sorted()
                .collect(Collectors.joining(" "));
    }

    /** A task that ends before the promised start of the head may go first. */
    private Optional<Duration> untilPromise() {
        return now.plan()
                .promise()
                .flatMap(PromisedStart::at)
                .map(at -> Duration.ofMinutes(Duration.between(snapshot().at(), at).toMinutes()));
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
    private List<Suggestion> later(Task task, Instant last, List<List<TaskEdit>> candidates) {
        var found = new ArrayList<Suggestion>();
        for (var variants : candidates) {
            if (variants.isEmpty() || start(task, variants.getLast(), last).isEmpty()) {
                continue;
            }
            for (var edit : variants) {
                var start = start(task, edit, last);
                if (start.isPresent()) {
                    found.add(new Suggestion(edit, start));
                    break;
                }
            }
        }
        found.sort(Comparator.comparing(one -> one.expectedStart().orElseThrow()));
        return found;
    }

    private Optional<Instant> start(Task task, TaskEdit edit, Instant last) {
        return whatIf.startUntil(last, task, edited(task, edit));
    }

    /** Empty if nobody knows when the task starts, so that no start is known to be earlier. */
    private Optional<Instant> latestUseful(Verdict.Wait wait, Optional<Instant> start) {
        var at = snapshot().at();
        if (wait.reasons().stream().anyMatch(WaitReason.NeverPossible.class::isInstance)) {
            return Optional.of(at.plus(HORIZON));
        }
        return start.map(
                        then -> {
                            var part = Duration.between(at, then).dividedBy(MIN_GAIN_PART);
                            return then.minus(part.compareTo(MIN_GAIN) > 0 ? part : MIN_GAIN);
                        })
                .filter(last -> last.isAfter(at));
    }

    private Planner planner() {
        return now.planner();
    }

    private Snapshot snapshot() {
        return now.snapshot();
    }
}

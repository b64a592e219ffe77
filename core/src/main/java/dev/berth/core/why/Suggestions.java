package dev.berth.core.why;

import dev.berth.core.plan.GpuAssessment;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.task.Need;
import dev.berth.core.task.Shape;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds edits that let a waiting task start earlier, by planning with the edited task.
 *
 * @param longestLimit the longest time limit that a task may have
 */
public record Suggestions(Planner planner, Snapshot snapshot, Duration longestLimit) {

    /** More would be read by nobody. */
    public static final int MAX = 8;

    /**
     * @param gpus all GPUs, with their refusals for this task
     */
    public List<Suggestion> of(Task task, List<GpuAssessment> gpus) {
        if (snapshot.pause().isPresent() || snapshot.waiting().isDelayed(task)) {
            return List.of();
        }
        return candidates(task, gpus).stream()
                .flatMap(variants -> firstThatStarts(task, variants).stream())
                .limit(MAX)
                .toList();
    }

    private List<List<TaskEdit>> candidates(Task task, List<GpuAssessment> gpus) {
        var all = new ArrayList<List<TaskEdit>>();
        if (task.spec().requirements().need() instanceof Need.Gpus need) {
            var ask = planner.requirement(need, Shape.of(task.spec()));
            all.addAll(new EditCandidates(task, need, ask, gpus).all());
        }
        all.add(EditCandidates.timeLimits(task, longestLimit));
        all.add(EditCandidates.priorities(task));
        return all;
    }

    private Optional<Suggestion> firstThatStarts(Task task, List<TaskEdit> variants) {
        return variants.stream()
                .filter(edit -> starts(task, edit))
                .findFirst()
                .map(edit -> new Suggestion(edit, Optional.empty()));
    }

    private boolean starts(Task task, TaskEdit edit) {
        return planner.plan(edited(task, edit)).starts().stream()
                .anyMatch(start -> start.task().equals(task.id()));
    }

    /** The snapshot as it would be after the edit. */
    Snapshot edited(Task task, TaskEdit edit) {
        var after = task.with(edit.applyTo(task.spec()));
        return snapshot.with(snapshot.waiting().without(task).with(after));
    }
}

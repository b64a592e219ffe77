package dev.berth.core.why;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.GpuAssessment;
import dev.berth.core.plan.Plan;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.plan.Verdict;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.util.List;

/**
 * Why one task waits, and what would help.
 *
 * @param gpus all GPUs by index, each with its refusal; none for a task without a GPU
 */
public record Explanation(
        Verdict verdict, List<GpuAssessment> gpus, Ahead ahead, List<Suggestion> suggestions) {

    public Explanation {
        gpus = List.copyOf(gpus);
        suggestions = List.copyOf(suggestions);
    }

    /** What is planned: the snapshot, and the plan that the planner made of it. */
    public record Planned(Planner planner, Snapshot snapshot, Plan plan) {
        public static Planned of(Planner planner, Snapshot snapshot) {
            return new Planned(planner, snapshot, planner.plan(snapshot));
        }
    }

    /**
     * @param tasks all tasks that have not ended
     * @param longestLimit the longest time limit that a task may have
     */
    public static Explanation of(
            Planned now, Task task, PersistentMap<TaskId, Task> tasks, Duration longestLimit) {
        var planner = now.planner();
        var verdict = planner.explain(now.snapshot(), now.plan(), task);
        return switch (verdict) {
            case Verdict.Start _ ->
                    new Explanation(
                            verdict, planner.assess(now.snapshot(), task), Ahead.NONE, List.of());
            case Verdict.Wait _ -> {
                var gpus = planner.refusals(now.plan(), task);
                yield new Explanation(
                        verdict,
                        gpus,
                        Ahead.of(now.snapshot(), task, gpus, tasks),
                        new Suggestions(planner, now.snapshot(), longestLimit).of(task, gpus));
            }
        };
    }
}

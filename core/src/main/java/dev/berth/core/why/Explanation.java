package dev.berth.core.why;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.forecast.ForecastInput;
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
        var verdict = planner.explain(now.snapshot(), now.plan(), task);
        return switch (verdict) {
            case Verdict.Start _ ->
                    new Explanation(
                            verdict, planner.assess(now.snapshot(), task), Ahead.NONE, List.of());
            case Verdict.Wait wait -> {
                var gpus = planner.refusals(now.plan(), task);
                yield new Explanation(
                        verdict,
                        gpus,
                        Ahead.of(now.snapshot(), task, gpus, tasks),
                        new Suggestions(now.input(), longestLimit).of(task, wait, gpus));
            }
        };
    }
}

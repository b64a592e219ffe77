package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.plan.Planner;

import java.util.TreeMap;

/**
 * The deciders that depend on rules, built for the rules in force.
 *
 * @param configuredPlanner the planner as configured, without the memory estimates learned since
 */
record Deciders(
        Planner configuredPlanner,
        Planner planner,
        AttemptSettings attemptSettings,
        SubmitDecider submits,
        TaskStarter starter,
        DraftDecider drafts,
        FileRunDecider fileRuns) {

    /**
     * @param learned memory estimates by model, in MiB
     */
    static Deciders of(
            Planner written,
            AttemptSettings tuning,
            PersistentMap<String, Long> learned,
            QueueLimits limits,
            TaskStarter.NodeSession place) {
        var found = new TreeMap<String, Long>();
        learned.forEach(entry -> found.put(entry.getKey(), entry.getValue()));
        var rules = written.rules();
        var planner = written.with(rules.with(rules.estimates().atLeast(found)));
        var feasibility = new Feasibility(planner);
        var submitting = new SubmitDecider(feasibility, limits);
        var granting = new TaskStarter(planner, tuning, place);
        return new Deciders(
                written,
                planner,
                tuning,
                submitting,
                granting,
                new DraftDecider(planner, granting),
                new FileRunDecider(feasibility, submitting));
    }
}

package dev.berth.engine;

import dev.berth.core.plan.Planner;
import dev.berth.port.Node;

import java.util.TreeMap;

/**
 * The deciders that depend on rules, built for the rules in force.
 *
 * @param allModels the models that have workers
 * @param configuredPlanner the planner as configured, without the memory estimates learned since
 */
record Deciders(
        Planner configuredPlanner,
        Planner planner,
        AttemptSettings attemptSettings,
        SubmitDecider submits,
        TaskStarter starter,
        DraftDecider drafts,
        FileRunDecider fileRuns,
        ModelDecider models,
        Models allModels) {

    static Deciders of(
            Planner written,
            AttemptSettings tuning,
            DurableData durable,
            QueueLimits limits,
            TaskStarter.NodeSession place) {
        var models = new Models(tuning.models(), durable.models());
        var found = new TreeMap<>(models.memoryMib());
        durable.estimates()
                .forEach(entry -> found.merge(entry.getKey(), entry.getValue(), Math::max));
        var rules = written.rules();
        var planner = written.with(rules.with(rules.estimates().atLeast(found)));
        var feasibility = new Feasibility(planner, models, place.cluster().isPresent());
        var userLimits = new TaskLimits(planner.rules().limits());
        var submitting = new SubmitDecider(feasibility, limits, userLimits);
        var workers =
                new WorkerDecider(
                        place,
                        tuning.models(),
                        planner.rules().estimates(),
                        new Node.LaunchTerms(false, planner.rules(), tuning.startTimeout()));
        var timers = new WorkerTimers(planner, models, workers);
        var granting = new TaskStarter(planner, tuning, place, workers, timers);
        return new Deciders(
                written,
                planner,
                tuning,
                submitting,
                granting,
                new DraftDecider(planner, feasibility, granting, userLimits),
                new FileRunDecider(feasibility, submitting),
                new ModelDecider(workers, timers, place.cluster().isPresent()),
                models);
    }
}

package dev.berth.engine;

import dev.berth.core.collect.PersistentMap;
import dev.berth.core.plan.Planner;

import java.util.TreeMap;

/**
 * Those who decide by the rules that hold now.
 *
 * @param written the planner as it was set, without what was learned since
 */
record Deciders(
        Planner written,
        Planner planner,
        Tuning tuning,
        Submitting submitting,
        Granting granting,
        Drafting drafting,
        RunningFiles files) {

    /**
     * @param learned what models were found to need
     * @param mostOfOneUser may wait at the same time
     */
    static Deciders of(
            Planner written,
            Tuning tuning,
            PersistentMap<String, Long> learned,
            int mostOfOneUser,
            Granting.Place place) {
        var found = new TreeMap<String, Long>();
        learned.forEach(entry -> found.put(entry.getKey(), entry.getValue()));
        var rules = written.rules();
        var planner = written.with(rules.with(rules.estimates().atLeast(found)));
        var feasibility = new Feasibility(planner);
        var submitting = new Submitting(feasibility, mostOfOneUser);
        var granting = new Granting(planner, tuning, place);
        return new Deciders(
                written,
                planner,
                tuning,
                submitting,
                granting,
                new Drafting(planner, granting),
                new RunningFiles(feasibility, submitting));
    }
}

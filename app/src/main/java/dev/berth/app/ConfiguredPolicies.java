package dev.berth.app;

import dev.berth.config.Configuration;
import dev.berth.core.plan.Backfill;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.plan.PlacementPolicy;
import dev.berth.core.queue.FairShareOrder;
import dev.berth.core.queue.FifoOrder;
import dev.berth.core.queue.PriorityOrder;
import dev.berth.core.queue.QueueOrder;
import dev.berth.core.queue.ShortestFirstOrder;
import dev.berth.core.queue.SmallestFirstOrder;
import dev.berth.core.queue.UserWeights;

import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;

/** Creates the scheduling policies that the configuration names. */
record ConfiguredPolicies(Configuration.SchedulingSettings scheduling) {

    QueueOrder order() {
        return find(
                List.of(
                        new PriorityOrder(userWeights()),
                        new FairShareOrder(userWeights()),
                        new FifoOrder(),
                        new ShortestFirstOrder(),
                        new SmallestFirstOrder()),
                QueueOrder::configName,
                scheduling.order());
    }

    Backfill backfill() {
        return find(
                List.of(new Backfill.Off(), new Backfill.Safe(), new Backfill.Greedy()),
                Backfill::configName,
                scheduling.backfill());
    }

    PlacementPolicy placement(ModelCache models) {
        return find(
                PlacementPolicy.all(models), PlacementPolicy::configName, scheduling.selector());
    }

    /** The placement of lane tasks: the configured one, or sampling. */
    PlacementPolicy lanePlacement(ModelCache models) {
        return find(
                PlacementPolicy.all(models),
                PlacementPolicy::configName,
                scheduling.laneSelector().orElse("sampling"));
    }

    UserWeights userWeights() {
        var weights = new TreeMap<String, UserWeights.UserWeight>();
        var shares = scheduling.shares();
        shares.weights().forEach((name, weight) -> weights.put(name, userWeight(name, weight)));
        shares.vips().forEach(name -> weights.computeIfAbsent(name, one -> userWeight(one, 1)));
        return new UserWeights(weights, shares.groupWeights());
    }

    private UserWeights.UserWeight userWeight(String name, double weight) {
        return new UserWeights.UserWeight(weight, scheduling.shares().vips().contains(name));
    }

    /** The configuration only accepts the names of existing policies. */
    private static <T> T find(List<T> all, Function<T, String> word, String name) {
        return all.stream()
                .filter(one -> word.apply(one).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no such policy: " + name));
    }
}

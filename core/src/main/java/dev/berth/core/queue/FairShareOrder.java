package dev.berth.core.queue;

import dev.berth.core.share.UserGroups;
import dev.berth.core.task.Owner;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * By priority, then VIPs first, then the least usage per weight of the group, then of the user,
 * then age.
 */
public record FairShareOrder(UserWeights userWeights, UserGroups groups) implements QueueOrder {

    /** Principals have another prefix. */
    private static final String GROUP = "group:";

    public FairShareOrder(UserWeights userWeights) {
        this(userWeights, UserGroups.NONE);
    }

    @Override
    public Precedence precedence(TaskGroup group, ToDoubleFunction<String> used) {
        var principal = group.owner().principal();
        var weight = userWeights.of(group.owner());
        return new Precedence(
                group.priority().ordinal(),
                weight.isVip() ? 0 : 1,
                groupPenalty(principal, used),
                used.applyAsDouble(principal) / weight.weight());
    }

    private double groupPenalty(String principal, ToDoubleFunction<String> used) {
        if (userWeights.byGroup().isEmpty()) {
            return 0;
        }
        var group = shareGroup(principal);
        return used.applyAsDouble(GROUP + group) / userWeights.ofGroup(group);
    }

    private String shareGroup(String principal) {
        return userWeights.shareGroup(groups.of(principal));
    }

    @Override
    public SortedMap<String, Double> withGroupTotals(SortedMap<String, Double> used) {
        if (userWeights.byGroup().isEmpty()) {
            return used;
        }
        var all = new TreeMap<>(used);
        all.keySet().removeIf(key -> key.startsWith(GROUP));
        var totals = new TreeMap<String, Double>();
        all.forEach(
                (principal, seconds) ->
                        totals.merge(GROUP + shareGroup(principal), seconds, Double::sum));
        all.putAll(totals);
        return all;
    }

    @Override
    public List<String> chargedKeys(Owner owner) {
        return userWeights.byGroup().isEmpty()
                ? List.of(owner.principal())
                : List.of(owner.principal(), GROUP + shareGroup(owner.principal()));
    }

    @Override
    public QueueOrder with(UserWeights other) {
        return new FairShareOrder(other, groups);
    }

    @Override
    public QueueOrder with(UserGroups other) {
        return new FairShareOrder(userWeights, other);
    }

    @Override
    public boolean dependsOnUsage() {
        return true;
    }

    @Override
    public String configName() {
        return "fair_share";
    }
}

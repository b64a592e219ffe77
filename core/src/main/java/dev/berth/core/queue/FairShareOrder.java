package dev.berth.core.queue;

import java.util.function.ToDoubleFunction;

/** By priority, then VIPs first, then the least usage per weight, then age. */
public record FairShareOrder(UserWeights userWeights) implements QueueOrder {

    @Override
    public Precedence precedence(TaskGroup group, ToDoubleFunction<String> used) {
        var weight = userWeights.of(group.owner());
        return new Precedence(
                group.priority().ordinal(),
                weight.isVip() ? 0 : 1,
                used.applyAsDouble(group.owner().principal()) / weight.weight());
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

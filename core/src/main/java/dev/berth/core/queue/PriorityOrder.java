package dev.berth.core.queue;

import java.util.function.ToDoubleFunction;

/** By priority, then VIPs first, then the owner's weight, then age. */
public record PriorityOrder(UserWeights userWeights) implements QueueOrder {

    @Override
    public Precedence precedence(TaskGroup group, ToDoubleFunction<String> used) {
        var weight = userWeights.of(group.owner());
        return new Precedence(group.priority().ordinal(), weight.isVip() ? 0 : 1, -weight.weight());
    }

    @Override
    public QueueOrder with(UserWeights other) {
        return new PriorityOrder(other);
    }

    @Override
    public String configName() {
        return "priority";
    }
}

package dev.berth.core.line;

import java.util.function.ToDoubleFunction;

/** Class, then VIPs, then who has had the least for their weight, then age. */
public record FairShare(People people) implements Order {

    @Override
    public Precedence precedence(Group group, ToDoubleFunction<String> used) {
        var standing = people.standing(group.owner());
        return new Precedence(
                group.priority().ordinal(),
                standing.isVip() ? 0 : 1,
                used.applyAsDouble(group.owner().principal()) / standing.weight());
    }

    @Override
    public boolean isByUse() {
        return true;
    }

    @Override
    public String word() {
        return "fair_share";
    }
}

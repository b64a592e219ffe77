package dev.berth.core.line;

import java.util.function.ToDoubleFunction;

/** Class, then VIPs, then the weightier owner, then age. */
public record ByPriority(People people) implements Order {

    @Override
    public Precedence precedence(Group group, ToDoubleFunction<String> used) {
        var standing = people.standing(group.owner());
        return new Precedence(
                group.priority().ordinal(), standing.isVip() ? 0 : 1, -standing.weight());
    }

    @Override
    public String word() {
        return "priority";
    }
}

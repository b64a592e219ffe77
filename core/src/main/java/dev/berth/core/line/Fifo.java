package dev.berth.core.line;

import java.util.function.ToDoubleFunction;

/** Age alone. */
public record Fifo() implements Order {

    @Override
    public Precedence precedence(Group group, ToDoubleFunction<String> used) {
        return Precedence.EQUAL;
    }

    @Override
    public String word() {
        return "fifo";
    }
}

package dev.berth.core.queue;

import java.util.function.ToDoubleFunction;

/** By age only. */
public record FifoOrder() implements QueueOrder {

    @Override
    public Precedence precedence(TaskGroup group, ToDoubleFunction<String> used) {
        return Precedence.EQUAL;
    }

    @Override
    public String configName() {
        return "fifo";
    }
}

package dev.berth.core.queue;

import dev.berth.core.task.Task;

import java.time.Duration;
import java.util.function.ToDoubleFunction;

/** By priority, then the shorter time limit (none is last), then age. */
public record ShortestFirstOrder() implements QueueOrder {

    @Override
    public Precedence precedence(TaskGroup group, ToDoubleFunction<String> used) {
        return new Precedence(group.priority().ordinal(), 0, 0);
    }

    @Override
    public Rank rank(Task task) {
        long seconds =
                task.spec().options().timeLimit().map(Duration::toSeconds).orElse(Long.MAX_VALUE);
        return new Rank(seconds, task.id());
    }

    @Override
    public String configName() {
        return "shortest_first";
    }
}

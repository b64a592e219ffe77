package dev.berth.core.line;

import dev.berth.core.task.Task;

import java.time.Duration;
import java.util.function.ToDoubleFunction;

/** Class, then the shorter time limit, then age; who states none goes last in the class. */
public record ShortestFirst() implements Order {

    @Override
    public Precedence precedence(Group group, ToDoubleFunction<String> used) {
        return new Precedence(group.priority().ordinal(), 0, 0);
    }

    @Override
    public Rank rank(Task task) {
        long seconds = task.spec().timeLimit().map(Duration::toSeconds).orElse(Long.MAX_VALUE);
        return new Rank(seconds, task.createdAt(), task.id());
    }

    @Override
    public String word() {
        return "shortest_first";
    }
}

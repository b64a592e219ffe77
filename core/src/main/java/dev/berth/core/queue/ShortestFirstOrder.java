package dev.berth.core.queue;

import dev.berth.core.predict.RunTime;
import dev.berth.core.predict.RunTimes;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * By priority, then overdue tasks by age, then the predicted run time, else the time limit (neither
 * is last), then age.
 */
public record ShortestFirstOrder(RunTimes runTimes) implements QueueOrder {

    /** Nothing is known of earlier runs. */
    public ShortestFirstOrder() {
        this(RunTimes.NONE);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // comparing all that was learned would take longer
    public QueueOrder with(RunTimes other) {
        return other == runTimes ? this : new ShortestFirstOrder(other);
    }

    @Override
    public LengthKey lengthKey(Task task) {
        return LengthKey.of(task);
    }

    @Override
    public Precedence precedence(TaskGroup group, ToDoubleFunction<String> used) {
        return PredictedLength.precedence(group, this::length);
    }

    private Optional<Duration> length(TaskGroup group, TaskSpec spec) {
        return PredictedLength.limited(spec, runTimes.of(group.owner(), spec).map(RunTime::median));
    }

    @Override
    public boolean limitsPassing() {
        return true;
    }

    @Override
    public String configName() {
        return "shortest_first";
    }
}

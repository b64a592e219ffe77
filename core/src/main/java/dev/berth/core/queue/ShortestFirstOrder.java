package dev.berth.core.queue;

import dev.berth.core.predict.RunTime;
import dev.berth.core.predict.RunTimes;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** By priority, then the predicted run time, else the time limit (neither is last), then age. */
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
        double seconds =
                group.length()
                        .spec()
                        .flatMap(spec -> length(group, spec))
                        .map(length -> length.toMillis() / 1e3)
                        .orElse(Double.POSITIVE_INFINITY);
        return new Precedence(group.priority().ordinal(), 0, seconds);
    }

    /** A task is stopped at its limit, however long others ran. */
    private Optional<Duration> length(TaskGroup group, TaskSpec spec) {
        var limit = spec.options().timeLimit();
        var predicted = runTimes.of(group.owner(), spec).map(RunTime::median);
        return predicted.isPresent() && limit.isPresent()
                ? limit.filter(most -> most.compareTo(predicted.get()) < 0).or(() -> predicted)
                : predicted.or(() -> limit);
    }

    @Override
    public String configName() {
        return "shortest_first";
    }
}

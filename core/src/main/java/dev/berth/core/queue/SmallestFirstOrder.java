package dev.berth.core.queue;

import dev.berth.core.predict.RunTimes;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * By priority, then overdue tasks by age, then the expected GPU time: run time times GPUs. This
 * gives the shortest mean wait: a task delays the others by the GPU time that it takes.
 */
public record SmallestFirstOrder(RunTimes runTimes) implements QueueOrder {

    /** Nothing is known of earlier runs. */
    public SmallestFirstOrder() {
        this(RunTimes.NONE);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // comparing all that was learned would take longer
    public QueueOrder with(RunTimes other) {
        return other == runTimes ? this : new SmallestFirstOrder(other);
    }

    @Override
    public LengthKey lengthKey(Task task) {
        return LengthKey.of(task);
    }

    @Override
    public Precedence precedence(TaskGroup group, ToDoubleFunction<String> used) {
        return PredictedLength.precedence(group, this::gpuTime);
    }

    private Optional<Duration> gpuTime(TaskGroup group, TaskSpec spec) {
        int gpus =
                group.shape().need() instanceof Need.Gpus need
                        ? Math.max(1, need.count().min())
                        : 1;
        return PredictedLength.limited(spec, runTimes.expected(group.owner(), spec))
                .map(length -> length.multipliedBy(gpus));
    }

    @Override
    public boolean limitsPassing() {
        return true;
    }

    @Override
    public String configName() {
        return "smallest_first";
    }
}

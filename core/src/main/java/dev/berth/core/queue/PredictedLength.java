package dev.berth.core.queue;

import dev.berth.core.task.TaskSpec;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;

/** What the orders by predicted length have in common. */
final class PredictedLength {

    private PredictedLength() {}

    /**
     * By priority, then overdue tasks by age, then by length; unknown is last.
     *
     * @param length of the tasks of a group
     */
    static Precedence precedence(
            TaskGroup group, BiFunction<TaskGroup, TaskSpec, Optional<Duration>> length) {
        double seconds =
                group.isOverdue()
                        ? Double.NEGATIVE_INFINITY
                        : group.length()
                                .spec()
                                .flatMap(spec -> length.apply(group, spec))
                                .map(known -> known.toMillis() / 1e3)
                                .orElse(Double.POSITIVE_INFINITY);
        return new Precedence(group.priority().ordinal(), 0, seconds);
    }

    /** A task is stopped at its limit, however long others ran. */
    static Optional<Duration> limited(TaskSpec spec, Optional<Duration> predicted) {
        var limit = spec.options().timeLimit();
        return predicted.isPresent() && limit.isPresent()
                ? limit.filter(most -> most.compareTo(predicted.get()) < 0).or(() -> predicted)
                : predicted.or(() -> limit);
    }
}

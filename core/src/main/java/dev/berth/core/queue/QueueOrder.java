package dev.berth.core.queue;

import dev.berth.core.predict.RunTimes;
import dev.berth.core.task.Task;

import java.util.function.ToDoubleFunction;

/** The order of waiting tasks, within a queue and across queues. */
public interface QueueOrder {

    /**
     * Precedence of a group now. It can only get worse when more tasks of its owner start.
     *
     * @param used GPU-seconds used by each principal
     */
    Precedence precedence(TaskGroup group, ToDoubleFunction<String> used);

    /** Separates tasks whose precedence differs by their length. */
    default LengthKey lengthKey(Task task) {
        return LengthKey.ANY;
    }

    /** The same order with other predictions of run times. */
    default QueueOrder with(RunTimes runTimes) {
        return this;
    }

    /** Whether precedence depends on usage, and so changes over time. */
    default boolean dependsOnUsage() {
        return false;
    }

    /** The name in the configuration. */
    String configName();
}

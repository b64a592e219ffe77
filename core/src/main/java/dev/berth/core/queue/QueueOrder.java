package dev.berth.core.queue;

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

    /** Fixed order of tasks with equal precedence. */
    default Rank rank(Task task) {
        return Rank.byAge(task);
    }

    /** Whether precedence depends on usage, and so changes over time. */
    default boolean dependsOnUsage() {
        return false;
    }

    /** The name in the configuration. */
    String configName();
}

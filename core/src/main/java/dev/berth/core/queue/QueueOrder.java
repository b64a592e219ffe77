package dev.berth.core.queue;

import dev.berth.core.predict.RunTimes;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.function.ToDoubleFunction;

/** The order of waiting tasks, within a queue and across queues. */
public interface QueueOrder {

    /**
     * How long shorter tasks may go before a task. Long enough that it matters only for tasks that
     * might wait for ever: in an overloaded queue a low limit would be {@code fifo}.
     */
    Duration MAX_PASSED = Duration.ofDays(7);

    /**
     * Precedence of a group now. It can only get worse when more tasks of its owner start.
     *
     * @param used GPU-seconds used by each principal, and by each group that the order compares
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

    /** The same order with other weights. */
    default QueueOrder with(UserWeights weights) {
        return this;
    }

    /** The same order with other groups of users. */
    default QueueOrder with(UserGroups groups) {
        return this;
    }

    /** With the totals of groups, if the order compares them. */
    default SortedMap<String, Double> withGroupTotals(SortedMap<String, Double> used) {
        return used;
    }

    /** The keys of the usage that grows when a task of this owner starts. */
    default List<String> chargedKeys(Owner owner) {
        return List.of(owner.principal());
    }

    /** Whether new tasks could pass a task for ever, so that {@link #MAX_PASSED} limits that. */
    default boolean limitsPassing() {
        return false;
    }

    /** Whether precedence depends on usage, and so changes over time. */
    default boolean dependsOnUsage() {
        return false;
    }

    /** The name in the configuration. */
    String configName();
}

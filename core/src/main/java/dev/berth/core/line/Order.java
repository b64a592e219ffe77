package dev.berth.core.line;

import dev.berth.core.task.Task;

import java.util.function.ToDoubleFunction;

/** Who goes first, within a line and across lines. */
public interface Order {

    /**
     * A group's place now. It can only get worse while its owner is given more.
     *
     * @param used the GPU-seconds that each principal has had
     */
    Precedence precedence(Group group, ToDoubleFunction<String> used);

    /** A task's place among those of equal precedence, for good. */
    default Rank rank(Task task) {
        return Rank.byAge(task);
    }

    /** Whether precedence depends on use, and so changes while time passes. */
    default boolean isByUse() {
        return false;
    }

    /** The word in the configuration. */
    String word();
}

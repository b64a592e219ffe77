package dev.berth.core.plan;

import dev.berth.core.id.TaskId;

/**
 * A GPU that a waiting task keeps for itself.
 *
 * @param task the head of its queue
 */
public record HeadReservation(TaskId task, Scope scope) {

    /** From which tasks behind it in the order of the pass the head keeps the GPU. */
    public enum Scope {
        /** From lanes: the head takes any GPUs, so other queues leave it enough. */
        LANES,
        /** From all: the head needs exactly these GPUs. */
        ALL
    }
}

package dev.berth.node.gpu;

import dev.berth.core.id.AttemptId;

/** Where tasks run as their owners, a process of another user may carry any marker. */
@FunctionalInterface
public interface OwnerCheck {

    /** True if the process has the user of the attempt. */
    boolean mayBelong(long pid, AttemptId attempt);
}

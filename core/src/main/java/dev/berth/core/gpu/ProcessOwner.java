package dev.berth.core.gpu;

import dev.berth.core.id.AttemptId;

/** Owner of a process on a GPU. */
public sealed interface ProcessOwner {

    /** An attempt of Berth, possibly one that has ended. */
    record BerthAttempt(AttemptId attempt) implements ProcessOwner {}

    /**
     * A process outside Berth.
     *
     * @param isTaskUser the user is the one that Berth's tasks run as
     */
    record HostUser(String name, boolean isTaskUser) implements ProcessOwner {}

    /** The host does not show the owner: the process is in a container or has just ended. */
    record Unknown() implements ProcessOwner {}
}

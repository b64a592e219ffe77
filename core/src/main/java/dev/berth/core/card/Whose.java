package dev.berth.core.card;

import dev.berth.core.task.AttemptId;

/** To whom a process on a card belongs. */
public sealed interface Whose {

    /** One of Berth's own attempts, perhaps one that has ended. */
    record Ours(AttemptId attempt) implements Whose {}

    /**
     * Somebody's work outside Berth.
     *
     * @param mine of the user that Berth's tasks run as
     */
    record User(String name, boolean mine) implements Whose {}

    /** The host does not show it: a container's, or one that has just ended. */
    record Unknown() implements Whose {}
}

package dev.berth.core.plan;

import dev.berth.core.task.AttemptId;

/** Why one card cannot be given to a task. */
public sealed interface Refusal {

    record WrongModel(String wanted, String model) implements Refusal {}

    /** The whole card is smaller than the need. */
    record TooSmall(long neededMib, long totalMib) implements Refusal {}

    record Unreadable(String why) implements Refusal {}

    record Held(AttemptId by) implements Refusal {}

    record MemoryShort(long neededMib, long freeMib) implements Refusal {}

    /** No memory was named, and somebody already uses a good part of the card. */
    record InUse(long usedMib, long totalMib, int thresholdPercent) implements Refusal {}

    /** Waiting does not help: it follows from what the card is, not from what it does now. */
    default boolean isForEver() {
        return switch (this) {
            case WrongModel _, TooSmall _ -> true;
            case Unreadable _, Held _, MemoryShort _, InUse _ -> false;
        };
    }
}

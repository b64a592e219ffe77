package dev.berth.core.plan;

import dev.berth.core.card.Occupant;
import dev.berth.core.task.AttemptId;
import dev.berth.core.task.Devices;
import dev.berth.core.task.TaskId;

import java.util.List;

/** Why one card cannot be given to a task. */
public sealed interface Refusal {

    record WrongModel(String wanted, String model) implements Refusal {}

    /** The task names other cards. */
    record NotNamed(Devices devices) implements Refusal {}

    /** The whole card is smaller than the need. */
    record TooSmall(long neededMib, long totalMib) implements Refusal {}

    /** It is not one of those that were named for Berth. */
    record OutsidePool() implements Refusal {}

    /** It is kept back from Berth. */
    record Reserved() implements Refusal {}

    /** Lanes use other cards. */
    record OutsideLanes() implements Refusal {}

    /** Lanes leave the last few of their cards to others. */
    record KeptBack() implements Refusal {}

    /** A task that gathers several cards is to have it, and no lane before. */
    record Promised(TaskId to) implements Refusal {}

    /** The user's own Python works there outside Berth. */
    record OwnPython(Occupant process) implements Refusal {}

    record Unreadable(String why) implements Refusal {}

    /** It is in error. */
    record Broken(String why) implements Refusal {}

    record Held(AttemptId by) implements Refusal {}

    /** An attempt has ended, and it is not yet seen that the card is empty of it. */
    record Leaving(AttemptId attempt) implements Refusal {}

    /** A process of an attempt that does not hold the card is on it. */
    record LeftBehind(AttemptId attempt, Occupant process) implements Refusal {}

    /** Another user computes there. */
    record OthersWork(Occupant process) implements Refusal {}

    /**
     * @param marginMib must stay free beyond what is needed
     * @param others who takes memory there outside Berth, most first
     */
    record MemoryShort(long neededMib, long marginMib, long headroomMib, List<Occupant> others)
            implements Refusal {
        public MemoryShort {
            others = List.copyOf(others);
        }
    }

    /**
     * No memory was named, and somebody already uses a good part of the card.
     *
     * @param others who does, outside Berth, most first
     */
    record InUse(long usedMib, long totalMib, int thresholdPercent, List<Occupant> others)
            implements Refusal {
        public InUse {
            others = List.copyOf(others);
        }
    }

    /** Waiting does not help: it follows from what the card is, not from what it does now. */
    default boolean isForEver() {
        return switch (this) {
            case WrongModel _,
                    NotNamed _,
                    TooSmall _,
                    OutsidePool _,
                    Reserved _,
                    OutsideLanes _,
                    KeptBack _ ->
                    true;
            case Unreadable _,
                    Broken _,
                    Held _,
                    Leaving _,
                    Promised _,
                    OwnPython _,
                    LeftBehind _,
                    OthersWork _,
                    MemoryShort _,
                    InUse _ ->
                    false;
        };
    }
}

package dev.berth.core.plan;

import dev.berth.core.gpu.GpuProcess;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.reserve.ReservationWindow;
import dev.berth.core.task.GpuIndices;

import java.time.Duration;
import java.util.List;

/** Why a GPU cannot be used for a task. */
public sealed interface Refusal {

    record WrongModel(String requestedModel, String model) implements Refusal {}

    /** The task names other GPUs. */
    record NotRequested(GpuIndices devices) implements Refusal {}

    /** The total memory is less than the need. */
    record TooSmall(long neededMib, long totalMib) implements Refusal {}

    /** Not one of the GPUs that are configured for Berth. */
    record OutsidePool() implements Refusal {}

    /** Configured as reserved: Berth never uses it. */
    record Reserved() implements Refusal {}

    /** Lanes of file runs may not use it. */
    record NotForLanes() implements Refusal {}

    /** Lanes leave it for other users. */
    record LeftForOthers() implements Refusal {}

    /** A task before it in the order keeps the GPU for itself. */
    record ReservedFor(TaskId task) implements Refusal {}

    /** It is reserved for somebody else, and the task might still run during the window. */
    record ReservedForOthers(ReservationWindow window) implements Refusal {}

    /** The user's own Python process runs there outside Berth. */
    record OwnPython(GpuProcess process) implements Refusal {}

    record Unreadable(String reason) implements Refusal {}

    /** The GPU has failed. */
    record Failed(String reason) implements Refusal {}

    /** A person quarantined the GPU. */
    record Quarantined(String reason) implements Refusal {}

    record Held(AttemptId by) implements Refusal {}

    /** Held by an attempt that Berth cannot observe: a fact or a person decides. */
    record HeldByLost(AttemptId by) implements Refusal {}

    /** Held by an attempt that cannot be ended. */
    record HeldByStuck(AttemptId by) implements Refusal {}

    /** An attempt has ended, but no later reading has shown yet that its processes are gone. */
    record NotYetReleased(AttemptId attempt) implements Refusal {}

    /** A process of an attempt that no longer holds the GPU is still on it. */
    record LeftoverProcess(AttemptId attempt, GpuProcess process) implements Refusal {}

    /** Another user computes there. */
    record OtherUsersProcess(GpuProcess process) implements Refusal {}

    /**
     * @param marginMib memory that must stay free in addition
     * @param others the largest processes outside Berth, largest first
     */
    record NotEnoughMemory(
            long neededMib, long marginMib, long headroomMib, List<GpuProcess> others)
            implements Refusal {
        public NotEnoughMemory {
            others = List.copyOf(others);
        }
    }

    /**
     * The task states no memory, and the memory use of the GPU has reached the threshold.
     *
     * @param others the largest processes outside Berth, largest first
     */
    record InUse(long usedMib, long totalMib, int thresholdPercent, List<GpuProcess> others)
            implements Refusal {
        public InUse {
            others = List.copyOf(others);
        }
    }

    /** The workers of the model fail again and again, until the model is changed. */
    record ModelSetAside(String model, String why) implements Refusal {}

    /**
     * It would have to load the model; a worker at work elsewhere is free earlier.
     *
     * @param load what that takes
     * @param freeIn until the other worker is free, as expected
     */
    record WarmElsewhere(String model, Duration load, Duration freeIn) implements Refusal {}

    /** Only Berth's own tasks are in the way, and they will end by themselves. */
    default boolean endsWithTasks(GpuView view) {
        return switch (this) {
            case Held _, NotYetReleased _, ReservedFor _, WarmElsewhere _ -> true;
            case NotEnoughMemory _, InUse _ -> !view.holds().isEmpty();
            case WrongModel _,
                    NotRequested _,
                    TooSmall _,
                    OutsidePool _,
                    Reserved _,
                    NotForLanes _,
                    LeftForOthers _,
                    ReservedForOthers _,
                    Unreadable _,
                    Failed _,
                    Quarantined _,
                    ModelSetAside _,
                    HeldByLost _,
                    HeldByStuck _,
                    OwnPython _,
                    LeftoverProcess _,
                    OtherUsersProcess _ ->
                    false;
        };
    }

    /** Waiting does not help: the reason is the GPU or the configuration, not its current use. */
    default boolean isPermanent() {
        return switch (this) {
            case WrongModel _,
                    NotRequested _,
                    TooSmall _,
                    OutsidePool _,
                    Reserved _,
                    NotForLanes _,
                    LeftForOthers _ ->
                    true;
            case Unreadable _,
                    Failed _,
                    Quarantined _,
                    ModelSetAside _,
                    WarmElsewhere _,
                    Held _,
                    HeldByLost _,
                    HeldByStuck _,
                    NotYetReleased _,
                    ReservedFor _,
                    ReservedForOthers _,
                    OwnPython _,
                    LeftoverProcess _,
                    OtherUsersProcess _,
                    NotEnoughMemory _,
                    InUse _ ->
                    false;
        };
    }
}

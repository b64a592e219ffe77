package dev.berth.core.plan;

import dev.berth.core.gpu.Gpu;
import dev.berth.core.id.TaskId;
import dev.berth.core.model.WarmWorker;
import dev.berth.core.share.Limit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Why a task does not start now. */
public sealed interface WaitReason {

    /** A GPU and why it cannot be used. */
    record RefusedGpu(Gpu gpu, Refusal refusal) {}

    record NotEnoughGpus(int needed, int fitting, List<RefusedGpu> refused) implements WaitReason {}

    /**
     * No set of known GPUs could ever serve it; it is skipped, so that it does not block others.
     */
    record NeverPossible(int needed, int suitable, List<RefusedGpu> refused)
            implements WaitReason {}

    /** The maximum number of tasks without a GPU is running. */
    record CpuLimitReached(int running, int max) implements WaitReason {}

    /** The head of the queue keeps its turn. */
    record BehindHead(TaskId head, int position) implements WaitReason {}

    /**
     * It might still run when the promised start of a task before it comes.
     *
     * @param start empty if it is not known
     */
    record BehindReservation(TaskId head, Optional<Instant> start) implements WaitReason {}

    /** An earlier task of its lane has not ended. */
    record LaneBusy(TaskId task) implements WaitReason {}

    /** It failed, and the retry is delayed. */
    record BackingOff(Instant until) implements WaitReason {}

    /** The machine could not start it although it starts others; the next try is delayed. */
    record CouldNotStart(Instant until, String detail) implements WaitReason {}

    /** Another task of its file run is being started. */
    record RunStarting(long run) implements WaitReason {}

    /**
     * Workers without work leave its GPUs first.
     *
     * @param workers on the GPUs that it will get
     */
    record Unloading(List<WarmWorker> workers) implements WaitReason {
        public Unloading {
            workers = List.copyOf(workers);
        }
    }

    /**
     * Its start would leave fewer idle GPUs for other users than the lane rules demand.
     *
     * @param leftForOthers number of GPUs that lanes leave for others
     * @param idle number of idle GPUs now
     */
    record YieldingToOthers(int leftForOthers, int idle) implements WaitReason {}

    /**
     * Its owner is at a limit.
     *
     * @param inUse how much the owner's running tasks use of it
     * @param needed what the task needs of it
     */
    record LimitReached(Limit limit, int inUse, int needed) implements WaitReason {}

    /**
     * Its owner has used the GPU time of a day, and tasks of others wait.
     *
     * @param usedHours GPU-hours of the last 24 hours
     * @param waiting the first task of others that waits for GPUs
     */
    record OverBudget(Limit limit, double usedHours, TaskId waiting) implements WaitReason {}

    /** The cluster has not started it yet. */
    record InCluster(ClusterWait status) implements WaitReason {}

    /**
     * Its owner has the allowed number of tasks in the cluster.
     *
     * @param tasks of its owner that are there
     */
    record ClusterWindowFull(int tasks, int limit) implements WaitReason {}

    /** Scheduling is paused. */
    record Paused(PauseCause cause, String detail) implements WaitReason {
        public enum PauseCause {
            /** A person paused it. */
            STOPPED,
            DISK_LOW,
            /** The machine cannot start any task. */
            MACHINE_FAULT,
            STORE_FAILING,
            INVARIANT_BROKEN
        }
    }
}

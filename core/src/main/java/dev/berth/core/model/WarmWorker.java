package dev.berth.core.model;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;

import java.time.Instant;
import java.util.Optional;

/**
 * A process that keeps one model loaded on one GPU.
 *
 * @param id the attempt whose process it is
 * @param memoryMib GPU memory that it claims
 * @param call the attempt that it runs, or will run when it is ready
 * @param lastUsed when it was started or last ran a task
 */
public record WarmWorker(
        AttemptId id,
        String model,
        GpuId gpu,
        long memoryMib,
        Status status,
        Optional<AttemptId> call,
        Instant lastUsed) {

    /** The stage of a worker. */
    public enum Status {
        LOADING,
        READY,
        /** It is being ended, and its memory is not free yet. */
        STOPPING,
        /**
         * An earlier server started it. It is being ended, and its model waits until it is gone.
         */
        LEFT_OVER
    }

    public boolean isStopping() {
        return status == Status.STOPPING || status == Status.LEFT_OVER;
    }

    /** No task needs it: it may be ended in favour of another task. */
    public boolean isIdle() {
        return !isStopping() && call.isEmpty();
    }

    public WarmWorker with(Status other) {
        return new WarmWorker(id, model, gpu, memoryMib, other, call, lastUsed);
    }

    /** It gets a task. */
    public WarmWorker with(AttemptId attempt, Instant at) {
        return new WarmWorker(id, model, gpu, memoryMib, status, Optional.of(attempt), at);
    }

    /** Its task has ended. */
    public WarmWorker withoutCall(Instant at) {
        return new WarmWorker(id, model, gpu, memoryMib, status, Optional.empty(), at);
    }
}

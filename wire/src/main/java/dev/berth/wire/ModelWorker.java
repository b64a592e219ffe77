package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A process that keeps a model loaded on a GPU.
 *
 * @param taskId the task that is this worker; its log is the log of the worker
 * @param status loading, idle, busy or stopping
 * @param currentTaskId the task that it runs
 * @param since when it was started
 * @param lastUsed when it was started or last ran a task
 * @param lastHeartbeat when it last gave a sign of life
 */
public record ModelWorker(
        String model,
        int gpuId,
        long taskId,
        @Nullable Long pid,
        String status,
        @Nullable Long currentTaskId,
        long memoryMb,
        String since,
        String lastUsed,
        @Nullable String lastHeartbeat) {}

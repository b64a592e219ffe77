package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * What runs on one GPU.
 *
 * @param name {@code worker-gpu-} and the number of the GPU
 * @param queue {@code gpu-} and the number of the GPU
 * @param concurrency number of tasks at the same time
 * @param status of the GPU: free, busy, unknown or error
 * @param pid of the task or worker that runs there; null if none does
 * @param lastHeartbeat the latest of its model workers; a task with a command gives none
 */
public record GpuWorker(
        String name,
        String queue,
        int gpuId,
        int concurrency,
        String status,
        @Nullable Long currentTaskId,
        @Nullable Long pid,
        @Nullable String lastHeartbeat,
        List<ModelWorker> models) {}

package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A waiting task.
 *
 * @param line name of its queue: auto, cpu, or the GPUs it names
 * @param gpuCount minimum number of GPUs
 * @param position zero-based, in its queue
 * @param score the lowest starts first, if only priority and age decide
 */
public record QueueTask(
        long id,
        String name,
        String owner,
        String priority,
        String line,
        String devices,
        @Nullable String gpuType,
        int gpuCount,
        int maxGpu,
        @Nullable Double memoryGb,
        String createdAt,
        String queuedAt,
        double waitSeconds,
        int position,
        double score,
        @Flat ExpectedTimes expected,
        @Flat RunPrediction prediction) {}

package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A waiting task.
 *
 * @param line the one it waits in: auto, cpu, or the cards it names
 * @param gpuCount the least it starts with
 * @param position zero-based, in its line
 * @param score the lowest starts first, as long as nothing but urgency and age decides
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
        double score) {}

package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Measurements of a GPU, or of a task on its GPUs, over time.
 *
 * @param points oldest first; there is no point for a time without measurements
 * @param gpu index of the GPU; for a task only if it has exactly one
 * @param memoryTotalMb of the GPU, or the sum over all GPUs of the task
 */
public record HistoryInfo(
        String from,
        String to,
        long stepSeconds,
        List<HistoryPoint> points,
        @Nullable Integer gpu,
        @Nullable Long memoryTotalMb) {}

package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A row of the task list: everything except the script. See {@link TaskDetail}.
 *
 * @param progress in percent, while it runs and prints progress
 * @param cause of its failure, if its log shows it
 */
public record TaskSummary(
        long id,
        String name,
        @Flat TaskHeader header,
        @Flat GpuRequest gpuRequest,
        @Flat GpuLimits gpuLimits,
        @Nullable Integer timeoutSeconds,
        @Flat TaskTimes times,
        @Nullable List<Integer> assignedGpus,
        @Flat TaskResult result,
        @Flat TaskLane lane,
        @Nullable Integer progress,
        @Nullable String cause) {}

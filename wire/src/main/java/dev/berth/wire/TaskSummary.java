package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A line of the task list: everything but the script. See {@link TaskDetail}.
 *
 * @param progress in percent, while it runs and says so
 * @param cause of its failure, where its log tells
 */
public record TaskSummary(
        long id,
        String name,
        String status,
        String phase,
        String priority,
        String owner,
        String source,
        String devices,
        @Nullable String gpuType,
        int gpuCount,
        int maxGpu,
        @Nullable Double memoryGb,
        boolean share,
        @Nullable Integer timeoutSeconds,
        String createdAt,
        @Nullable String queuedAt,
        @Nullable String startedAt,
        @Nullable String finishedAt,
        @Nullable List<Integer> assignedGpus,
        @Nullable Integer exitCode,
        @Nullable String error,
        @Nullable String errorType,
        @Nullable String lane,
        @Nullable Long run,
        @Nullable String uniId,
        int retryCount,
        @Nullable Integer maxRetries,
        @Nullable String backoffUntil,
        @Nullable Integer progress,
        @Nullable String cause) {}

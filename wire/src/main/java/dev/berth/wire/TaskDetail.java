package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** One task, whole. */
public record TaskDetail(
        long id,
        String name,
        String command,
        String status,
        String phase,
        String priority,
        String owner,
        String source,
        String devices,
        String workDir,
        @Nullable String gpuType,
        int gpuCount,
        int minGpu,
        int maxGpu,
        @Nullable Double memoryGb,
        boolean share,
        @Nullable String modelName,
        @Nullable String taskType,
        @Nullable Integer structureNAtoms,
        @Nullable Integer timeoutSeconds,
        @Nullable String lane,
        @Nullable String uniId,
        int retryCount,
        String createdAt,
        @Nullable String queuedAt,
        @Nullable String startedAt,
        @Nullable String finishedAt,
        @Nullable List<Integer> assignedGpus,
        @Nullable String tmuxSession,
        @Nullable String logPath,
        @Nullable Integer exitCode,
        @Nullable String error,
        List<String> env,
        @Nullable Integer position,
        @Nullable Double score,
        List<Reason> waitReasons,
        List<AttemptInfo> attempts) {}

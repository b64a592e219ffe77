package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One task, whole.
 *
 * @param lane run and queue like {@code 3/1}, or the name that was given
 * @param run the run it belongs to
 * @param uniId of its latest try
 * @param maxRetries null where there is no end of them
 * @param backoffUntil it rests until then before it is tried again
 * @param progress while it runs and says so
 * @param diagnosis of its latest attempt, where that failed and its log tells why
 * @param usage of its latest attempt
 * @param errorType oom, runtime_error, start_timeout, …
 */
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
        @Nullable Long run,
        @Nullable String uniId,
        int retryCount,
        @Nullable Integer maxRetries,
        @Nullable String backoffUntil,
        String createdAt,
        @Nullable String queuedAt,
        @Nullable String startedAt,
        @Nullable String finishedAt,
        @Nullable List<Integer> assignedGpus,
        @Nullable String tmuxSession,
        @Nullable String logPath,
        @Nullable Integer exitCode,
        @Nullable String error,
        @Nullable String errorType,
        List<String> env,
        @Nullable Integer position,
        @Nullable Double score,
        List<Reason> waitReasons,
        @Nullable TaskProgress progress,
        @Nullable TaskDiagnosis diagnosis,
        @Nullable TaskUsage usage,
        List<AttemptInfo> attempts) {}

package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * The notification that a webhook receives when a task ends or is retried.
 *
 * @param event task_completed, task_failed, task_cancelled or task_retried
 * @param id the seq of the event; a repeated notification has the same id
 * @param usage null if it was not measured
 * @param diagnosis null if the cause is unknown
 * @param url address of the task in the console; null if {@code public_url} is not set
 */
public record TaskMessage(
        String event,
        long id,
        String at,
        TaskPart task,
        @Nullable UsagePart usage,
        @Nullable DiagnosisPart diagnosis,
        @Nullable String url) {

    /**
     * The task.
     *
     * @param attempt the number of the attempt that ended; null if there was none
     */
    public record TaskPart(
            long id,
            String name,
            String owner,
            String status,
            @Nullable Integer attempt,
            @Nullable Integer exitCode,
            @Nullable String error,
            String createdAt,
            @Nullable String startedAt,
            @Nullable String finishedAt,
            @Nullable Double waitSeconds,
            @Nullable Double runSeconds) {}

    /** Use of its GPUs. */
    public record UsagePart(
            long peakMemoryMb,
            long meanMemoryMb,
            @Nullable Integer peakUtilization,
            @Nullable Integer meanUtilization,
            double watchedSeconds,
            @Nullable Long memoryAskedMb,
            double gpuSeconds) {}

    /** Why it failed. */
    public record DiagnosisPart(String cause, String line, Map<String, String> params) {}
}

package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * What a webhook is sent when something has become of a task.
 *
 * @param event task_completed, task_failed, task_cancelled or task_retried
 * @param id the seq of the event: the same message has the same one
 * @param usage null where it was not looked at
 * @param diagnosis null where nothing is known of why it failed
 * @param url where people see the task; null where {@code public_url} is not set
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
     * @param attempt the number of the attempt that ended; null where there was none
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

    /** What it made of its cards. */
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

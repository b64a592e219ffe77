package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One task of a lane.
 *
 * @param taskIndex zero-based, in its lane
 * @param uniId of its latest try
 * @param gpuCount minimum number of GPUs
 * @param gpus the GPUs it holds, or held when it ended
 * @param pid of its command, while it runs
 * @param status pending, running, completed, failed or cancelled
 * @param backoffUntil the retry is delayed until then
 * @param boundLog the log file bound to it
 */
public record ProcessState(
        long taskId,
        int taskIndex,
        @Nullable String uniId,
        String command,
        double memoryGb,
        int gpuCount,
        List<Integer> gpus,
        @Nullable Long pid,
        String status,
        int retryCount,
        @Nullable String backoffUntil,
        @Nullable String error,
        @Nullable String errorType,
        @Nullable String log,
        @Nullable String boundLog) {}

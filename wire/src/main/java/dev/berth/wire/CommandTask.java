package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One block of a command file.
 *
 * @param taskIndex zero-based position in its queue
 * @param line first line in the file, counted from 1
 * @param gpuCount minimum number of GPUs
 * @param maxGpu maximum number of GPUs
 * @param logPath the log file that is bound to it
 */
public record CommandTask(
        int taskIndex,
        int line,
        List<String> commands,
        double memoryGb,
        int gpuCount,
        int maxGpu,
        @Nullable String logPath) {}

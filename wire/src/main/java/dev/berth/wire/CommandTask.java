package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One block of a command file.
 *
 * @param taskIndex its place in its queue, counted from 0
 * @param line where it begins in the file, counted from 1
 * @param gpuCount the least it starts with
 * @param maxGpu the most it makes use of
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

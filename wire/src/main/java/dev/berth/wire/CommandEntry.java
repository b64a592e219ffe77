package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * One command file in the list of its mode.
 *
 * @param config one-based number: {@code index} + 1
 * @param queues number of queues
 * @param problems number of invalid blocks
 * @param runningPid the current run of the file, if any
 */
public record CommandEntry(
        int index,
        int config,
        String file,
        int tasks,
        int queues,
        int problems,
        @Nullable Long runningPid,
        String modifiedAt) {}

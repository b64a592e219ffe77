package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * One command file in the list of its mode.
 *
 * @param config its number as people count: {@code index} + 1
 * @param queues how many its tasks are spread over
 * @param problems how many of its blocks cannot be understood
 * @param runningPid the run that goes on with it, if any
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

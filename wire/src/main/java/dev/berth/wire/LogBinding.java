package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * Which file one task of a command file writes its log to.
 *
 * @param taskIndex its place in its queue, counted from 0
 * @param logPath empty where the binding was taken away
 * @param boundAt null where the binding was taken away
 */
public record LogBinding(
        String mode,
        int configIndex,
        int queueId,
        int taskIndex,
        String logPath,
        @Nullable String boundAt) {}

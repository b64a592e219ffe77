package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * Which file one task of a command file writes its log to.
 *
 * @param taskIndex zero-based position in its queue
 * @param logPath empty if the binding was removed
 * @param boundAt null if the binding was removed
 */
public record LogBinding(
        String mode,
        int configIndex,
        int queueId,
        int taskIndex,
        String logPath,
        @Nullable String boundAt) {}

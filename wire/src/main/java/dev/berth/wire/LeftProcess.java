package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A leftover process of an attempt that has ended.
 *
 * @param program name of the program, or the command that was started
 * @param taskId the task it belonged to
 * @param since when it started
 */
public record LeftProcess(
        long pid,
        String program,
        @Nullable Long taskId,
        @Nullable Integer attempt,
        @Nullable String since) {}

package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A process of an attempt that is over.
 *
 * @param program its name, or what was started
 * @param taskId whose it was
 * @param since when it started
 */
public record LeftProcess(
        long pid,
        String program,
        @Nullable Long taskId,
        @Nullable Integer attempt,
        @Nullable String since) {}

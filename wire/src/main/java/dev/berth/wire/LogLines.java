package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * New lines of a log that is followed.
 *
 * @param attempt whose log it is; null before the first. Another number begins another log
 * @param nextOffset where to read on, in bytes
 * @param partial the last line is not ended yet: the next message holds it again, grown
 * @param gap one of these lines stands for bytes that are no longer there
 * @param ended no more will come
 * @param error why it ended before its time; null unless it did
 */
public record LogLines(
        long taskId,
        @Nullable Integer attempt,
        List<String> lines,
        long nextOffset,
        boolean partial,
        boolean gap,
        boolean ended,
        @Nullable String error) {}

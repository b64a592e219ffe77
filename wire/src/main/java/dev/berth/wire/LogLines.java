package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * New lines of a log that is followed.
 *
 * @param attempt the attempt that wrote the lines; null before the first. Another number begins a
 *     new log
 * @param nextOffset byte offset of the next read
 * @param partial the last line is incomplete: the next message contains it again with more text
 * @param gap one of these lines replaces bytes that were deleted
 * @param ended the stream ends here
 * @param error why it ended early; null if it did not
 * @param gone it ended early because the file was deleted
 */
public record LogLines(
        long taskId,
        @Nullable Integer attempt,
        List<String> lines,
        long nextOffset,
        boolean partial,
        boolean gap,
        boolean ended,
        @Nullable String error,
        boolean gone) {}

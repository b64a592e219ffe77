package dev.berth.wire;

import java.util.List;

/**
 * Some lines anywhere in an attempt's log.
 *
 * @param start offset of the first line
 * @param nextOffset offset after the last complete line
 * @param partial the last line has no newline yet
 * @param size of the log, in bytes
 * @param beginOffset where the log begins for the reader: 0, or without banners the first byte of
 *     the task's own output
 * @param endOffset where it ends: {@code size}, or the end of the task's own output
 */
public record LogSection(
        long taskId,
        int attempt,
        List<String> lines,
        long start,
        long nextOffset,
        boolean partial,
        long size,
        long beginOffset,
        long endOffset) {}

package dev.berth.wire;

import java.util.List;

/**
 * A piece of a task's log.
 *
 * @param truncated there are earlier lines
 * @param nextOffset byte offset of the next read; send it back as {@code from}
 */
public record TaskLog(long taskId, List<String> lines, boolean truncated, long nextOffset) {}

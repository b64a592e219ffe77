package dev.berth.wire;

import java.util.List;

/**
 * A piece of a task's log.
 *
 * @param truncated there is more before these lines
 * @param nextOffset where to read on, in bytes; send it back as {@code from}
 */
public record TaskLog(long taskId, List<String> lines, boolean truncated, long nextOffset) {}

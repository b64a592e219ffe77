package dev.berth.node.log;

import java.util.List;

/**
 * Some lines of a log, always valid text.
 *
 * @param truncated the log has more text before these lines
 * @param gap one of these lines stands for removed bytes
 * @param nextOffset where to continue reading
 */
public record LogText(List<String> lines, boolean truncated, boolean gap, long nextOffset) {

    LogText(List<String> lines, boolean truncated, long nextOffset) {
        this(lines, truncated, false, nextOffset);
    }

    public LogText {
        lines = List.copyOf(lines);
    }
}

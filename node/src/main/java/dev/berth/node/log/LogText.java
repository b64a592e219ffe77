package dev.berth.node.log;

import java.util.List;

/**
 * Some lines of a log, as valid text whatever its bytes are.
 *
 * @param truncated there is more before these lines
 * @param gap one of these lines stands for bytes that were given up
 * @param nextOffset where to read on
 */
public record LogText(List<String> lines, boolean truncated, boolean gap, long nextOffset) {

    /** Without a gap. */
    LogText(List<String> lines, boolean truncated, long nextOffset) {
        this(lines, truncated, false, nextOffset);
    }

    public LogText {
        lines = List.copyOf(lines);
    }
}

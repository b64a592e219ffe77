package dev.berth.node.log;

import java.util.List;

/**
 * Some lines of a log, as valid text whatever its bytes are.
 *
 * @param truncated there is more before these lines
 * @param nextOffset where to read on
 */
public record LogText(List<String> lines, boolean truncated, long nextOffset) {
    public LogText {
        lines = List.copyOf(lines);
    }
}

package dev.berth.wire;

import java.util.List;

/**
 * The last lines of a log file.
 *
 * @param truncated there are earlier lines
 */
public record LogContent(String logPath, List<String> lines, boolean truncated) {}

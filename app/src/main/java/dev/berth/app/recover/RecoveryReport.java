package dev.berth.app.recover;

import java.util.List;

/**
 * What {@code berth recover} prints.
 *
 * @param isComplete false if a server must not start yet
 */
public record RecoveryReport(List<String> lines, boolean isComplete) {
    public RecoveryReport {
        lines = List.copyOf(lines);
    }
}

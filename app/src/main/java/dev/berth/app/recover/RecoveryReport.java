package dev.berth.app.recover;

import java.util.List;

/**
 * What {@code berth recover} prints.
 *
 * @param isComplete false if a server must not start yet
 */
record RecoveryReport(List<String> lines, boolean isComplete) {
    RecoveryReport {
        lines = List.copyOf(lines);
    }
}

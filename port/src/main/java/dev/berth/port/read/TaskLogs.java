package dev.berth.port.read;

import dev.berth.core.id.AttemptId;

import java.util.List;

/** Output of attempts, readable while they run and afterwards. */
public interface TaskLogs {

    /** The last lines. */
    LogSection tail(AttemptId attempt, int lines) throws LogUnreadable;

    /**
     * Reads a limited amount from a byte offset on.
     *
     * @param partial also return a last line that has no newline yet
     */
    LogSection from(AttemptId attempt, long offset, boolean partial) throws LogUnreadable;

    /** Path of the log, to be shown to users. */
    String path(AttemptId attempt);

    /**
     * @param truncated there are earlier lines
     * @param gap one of these lines stands for bytes that were removed to limit the size of the log
     * @param nextOffset where to continue
     */
    record LogSection(List<String> lines, boolean truncated, boolean gap, long nextOffset) {
        public LogSection {
            lines = List.copyOf(lines);
        }
    }

    /** The log exists but cannot be read. */
    final class LogUnreadable extends Exception {
        private static final long serialVersionUID = 1;

        public LogUnreadable(String message, Throwable cause) {
            super(message, cause);
        }
    }
}

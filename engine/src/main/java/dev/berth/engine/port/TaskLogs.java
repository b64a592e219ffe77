package dev.berth.engine.port;

import dev.berth.core.task.AttemptId;

import java.util.List;

/** What attempts have printed, readable while they run and ever after. */
public interface TaskLogs {

    /** The last lines. */
    Piece tail(AttemptId attempt, int lines) throws LogUnreadable;

    /**
     * Reads on from a byte offset, a bounded amount at a time.
     *
     * @param partial also give a last line that has no newline yet
     */
    Piece from(AttemptId attempt, long offset, boolean partial) throws LogUnreadable;

    /** Where the log lies, for people who want to open it themselves. */
    String path(AttemptId attempt);

    /**
     * @param truncated there is more before these lines
     * @param gap one of these lines stands for bytes that were given up to keep the log small
     * @param nextOffset where to read on
     */
    record Piece(List<String> lines, boolean truncated, boolean gap, long nextOffset) {
        public Piece {
            lines = List.copyOf(lines);
        }
    }

    /** The log is there but cannot be read. */
    final class LogUnreadable extends Exception {
        private static final long serialVersionUID = 1;

        public LogUnreadable(String message, Throwable cause) {
            super(message, cause);
        }
    }
}

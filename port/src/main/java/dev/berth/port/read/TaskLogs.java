package dev.berth.port.read;

import dev.berth.core.id.AttemptId;

import java.util.List;

/** Output of attempts, readable while they run and afterwards. */
public interface TaskLogs {

    /** How much of a log a reader gets. */
    enum LogPart {
        WHOLE,
        /** Without the banners that Berth writes before and after the task's own output. */
        OUTPUT
    }

    /** The last lines. */
    LogSection tail(AttemptId attempt, LogPart part, int lines) throws LogUnreadable;

    /**
     * Reads a limited amount from a byte offset on.
     *
     * @param partial also return a last line that has no newline yet
     */
    LogSection from(AttemptId attempt, LogPart part, long offset, boolean partial)
            throws LogUnreadable;

    /**
     * The bytes from an offset on, as the task wrote them; empty at the end. A line of text stands
     * for bytes that were removed to limit the size of the log.
     *
     * @param limit maximum number of bytes
     */
    LogBytes bytes(AttemptId attempt, LogPart part, long offset, int limit) throws LogUnreadable;

    /** The byte offset at which the last lines begin. */
    LogStart startOfLast(AttemptId attempt, LogPart part, long lines) throws LogUnreadable;

    /** Whether there is no file. It exists before the attempt begins, but may be deleted. */
    boolean isMissing(AttemptId attempt);

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

    /**
     * @param nextOffset where to continue
     * @param end offset after the last byte of the part, at the time of the read
     */
    record LogBytes(byte[] bytes, long nextOffset, long end) {
        @Override
        public String toString() {
            return bytes.length + " bytes up to " + nextOffset;
        }
    }

    /**
     * @param truncated there are earlier lines
     */
    record LogStart(long offset, boolean truncated) {}

    /** The log cannot be read. */
    class LogUnreadable extends Exception {
        private static final long serialVersionUID = 1;

        public LogUnreadable(String message, Throwable cause) {
            super(message, cause);
        }

        LogUnreadable(String message) {
            super(message);
        }
    }

    /** The log existed and was deleted. */
    final class LogGone extends LogUnreadable {
        private static final long serialVersionUID = 1;

        private final String path;

        public LogGone(String path) {
            super("the log file was deleted: " + path);
            this.path = path;
        }

        public String path() {
            return path;
        }
    }
}

package dev.berth.findings.diagnosis;

import dev.berth.findings.log.LogLevel;

/**
 * One line of a log and its role.
 *
 * @param line as it was printed
 * @param speaker the mark by which a launcher tells its processes apart; empty if there is none
 * @param level that a logger printed before the text
 * @param text the line without what loggers and launchers print before it; of an exception also
 *     without its indentation
 */
record AnalyzedLine(String line, String speaker, LogLevel level, String text, Role role) {

    enum Role {
        /** Inside a traceback. */
        FRAME,
        /** The last line of a traceback. */
        EXCEPTION,
        /** Looks like an exception, but without a traceback before it. */
        BARE,
        PLAIN
    }

    boolean isException() {
        return role == Role.EXCEPTION;
    }

    /** Whether the traceback that it ends is part of an indented text. */
    boolean isNested() {
        return isException()
                && line.endsWith(text)
                && line.substring(0, line.length() - text.length()).endsWith("  ");
    }

    boolean isIndented() {
        return Character.isWhitespace(text.charAt(0));
    }
}

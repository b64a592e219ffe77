package dev.berth.findings.log;

import java.util.ArrayList;
import java.util.List;

/** Splits log text into lines that can be searched at a bounded cost, whatever a program wrote. */
public final class PlainLines {

    /** Only this much of the end is read. */
    public static final int MAX_CHARS = 256 * 1024;

    /** The rest of a longer line is dropped: errors and progress are at its beginning. */
    public static final int MAX_LINE_CHARS = 2000;

    private static final char ESCAPE = '\u001b';
    private static final char BELL = '\u0007';

    private final String text;
    private final List<String> lines = new ArrayList<>();
    private final StringBuilder line = new StringBuilder();
    private int at;

    private PlainLines(String text) {
        this.text = text;
        this.at = Math.max(0, text.length() - MAX_CHARS);
    }

    /**
     * The non-blank lines. A carriage return and a backspace also begin a new line: progress bars
     * redraw with them, and an error is often printed directly after a bar.
     */
    public static List<String> of(String text) {
        return new PlainLines(text).split();
    }

    private List<String> split() {
        while (at < text.length()) {
            char next = text.charAt(at++);
            if (next == ESCAPE) {
                skipSequence();
            } else if (next == '\n' || next == '\r' || next == '\b') {
                endLine();
            } else if ((next >= ' ' || next == '\t') && next != '\u007f') {
                add(next);
            }
        }
        endLine();
        return List.copyOf(lines);
    }

    private void add(char next) {
        if (line.length() < MAX_LINE_CHARS) {
            line.append(next);
        }
    }

    private void endLine() {
        var whole = line.toString();
        line.setLength(0);
        if (!whole.isBlank()) {
            lines.add(whole.stripTrailing());
        }
    }

    /** CSI sequences (colours, cursor), OSC sequences (window title), and two-character ones. */
    private void skipSequence() {
        if (at >= text.length()) {
            return;
        }
        char kind = text.charAt(at++);
        if (kind == '[') {
            while (at < text.length() && isParameter(text.charAt(at))) {
                at++;
            }
            at = Math.min(at + 1, text.length());
        } else if (kind == ']') {
            skipTitle();
        }
    }

    private static boolean isParameter(char next) {
        return next >= ' ' && next <= '?';
    }

    /**
     * Ends also at a control character: an unterminated title must not hide the rest of the log.
     */
    private void skipTitle() {
        while (at < text.length() && text.charAt(at) >= ' ') {
            at++;
        }
        if (at < text.length() && text.charAt(at) == BELL) {
            at++;
        }
    }
}

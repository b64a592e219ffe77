package dev.berth.core.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a piece of a log into lines that can be read one by one at a bounded cost, whatever a
 * program wrote.
 */
public final class PlainLines {

    /** What is further from the end is not looked at. */
    public static final int MOST_CHARS = 256 * 1024;

    /** Nothing that says why or how far stands further right. */
    public static final int LONGEST_LINE = 2000;

    private static final char ESCAPE = '\u001b';
    private static final char BELL = '\u0007';

    private final String text;
    private final List<String> lines = new ArrayList<>();
    private final StringBuilder line = new StringBuilder();
    private int at;

    private PlainLines(String text) {
        this.text = text;
        this.at = Math.max(0, text.length() - MOST_CHARS);
    }

    /**
     * The lines that hold anything. A carriage return and a backspace begin a new one too: bars are
     * drawn over and over with them, and an error is often printed right behind a bar.
     */
    public static List<String> of(String text) {
        return new PlainLines(text).cut();
    }

    private List<String> cut() {
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
        if (line.length() < LONGEST_LINE) {
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

    /** Colours and cursor moves, window titles, and the two-character rest. */
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

    /** One that is never closed must not swallow the rest of the log. */
    private void skipTitle() {
        while (at < text.length() && text.charAt(at) >= ' ') {
            at++;
        }
        if (at < text.length() && text.charAt(at) == BELL) {
            at++;
        }
    }
}

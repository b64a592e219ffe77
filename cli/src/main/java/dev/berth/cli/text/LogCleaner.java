package dev.berth.cli.text;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Copies a log and removes control sequences from it, as {@link SafeText#logLine} does. Text that
 * needs no cleaning is copied as bytes, many lines at a time: logs are long.
 */
public final class LogCleaner {

    /** A longer line is cleaned in pieces. */
    private static final int MAX_LINE_BYTES = 1024 * 1024;

    private final PrintStream out;
    private byte[] rest = new byte[0];

    public LogCleaner(PrintStream out) {
        this.out = out;
    }

    /** Writes the complete lines and keeps the rest for the next piece. */
    public void write(byte[] piece) {
        int start = finishRest(piece);
        int end = endOfLastLine(piece, start);
        writeLines(piece, start, end);
        if (end < piece.length) {
            keep(piece, end, piece.length);
        }
    }

    /** Returns where the lines after the kept one begin. */
    private int finishRest(byte[] piece) {
        if (rest.length == 0) {
            return 0;
        }
        int newline = 0;
        while (newline < piece.length && piece[newline] != '\n') {
            newline++;
        }
        keep(piece, 0, newline);
        if (newline == piece.length) {
            return newline;
        }
        clean(rest, 0, rest.length);
        out.write('\n');
        rest = new byte[0];
        return newline + 1;
    }

    private static int endOfLastLine(byte[] piece, int start) {
        int end = piece.length;
        while (end > start && piece[end - 1] != '\n') {
            end--;
        }
        return end;
    }

    /**
     * @param end after a newline, or equal to {@code start}
     */
    private void writeLines(byte[] bytes, int start, int end) {
        int written = start;
        for (int at = unplain(bytes, start, end); at < end; at = unplain(bytes, at, end)) {
            int lineStart = at;
            while (lineStart > written && bytes[lineStart - 1] != '\n') {
                lineStart--;
            }
            while (bytes[at] != '\n') {
                at++;
            }
            out.write(bytes, written, lineStart - written);
            clean(bytes, lineStart, at);
            written = at;
        }
        out.write(bytes, written, end - written);
    }

    /**
     * The next byte that is not printable ASCII, a tab or a newline. Bytes of other characters are
     * negative. Written for the JVM of the CLI, which does not optimise: a method for the condition
     * would take three times as long.
     */
    private static int unplain(byte[] bytes, int start, int end) {
        for (int at = start; at < end; at++) {
            byte value = bytes[at];
            if (value < ' ') {
                if (value != '\n' && value != '\t') {
                    return at;
                }
            } else if (value == 0x7f) {
                return at;
            }
        }
        return end;
    }

    private void keep(byte[] bytes, int from, int to) {
        int length = rest.length;
        rest = Arrays.copyOf(rest, length + to - from);
        System.arraycopy(bytes, from, rest, length, to - from);
        if (rest.length > MAX_LINE_BYTES) {
            clean(rest, 0, rest.length);
            rest = new byte[0];
        }
    }

    /** Writes a last line that has no newline, and ends it. */
    public void finish() {
        if (rest.length > 0) {
            clean(rest, 0, rest.length);
            out.write('\n');
            rest = new byte[0];
        }
    }

    private void clean(byte[] bytes, int from, int to) {
        String line = new String(bytes, from, to - from, StandardCharsets.UTF_8);
        byte[] clean = SafeText.logLine(line).getBytes(StandardCharsets.UTF_8);
        out.write(clean, 0, clean.length);
    }
}

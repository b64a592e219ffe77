package dev.berth.cli.text;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Copies a log and removes control sequences from it, as {@link SafeText#logLine} does. Lines of
 * plain ASCII are copied as bytes, many at a time: logs are long.
 */
public final class LogCleaner {

    /** A longer line is cleaned in pieces. */
    private static final int MAX_LINE_BYTES = 1024 * 1024;

    /** Printable ASCII and tabs. */
    private static final boolean[] PLAIN = new boolean[256];

    static {
        for (int value = ' '; value < 0x7f; value++) {
            PLAIN[value] = true;
        }
        PLAIN['\t'] = true;
    }

    private final PrintStream out;
    private byte[] rest = new byte[0];

    public LogCleaner(PrintStream out) {
        this.out = out;
    }

    /** Writes the complete lines and keeps the rest for the next piece. */
    public void write(byte[] piece) {
        byte[] bytes = rest.length == 0 ? piece : concat(rest, piece);
        int written = 0;
        int lineStart = 0;
        boolean isPlain = true;
        for (int at = 0; at < bytes.length; at++) {
            byte value = bytes[at];
            if (value == '\n') {
                if (!isPlain) {
                    out.write(bytes, written, lineStart - written);
                    clean(bytes, lineStart, at);
                    out.write('\n');
                    written = at + 1;
                    isPlain = true;
                }
                lineStart = at + 1;
            } else if (!PLAIN[value & 0xff]) {
                isPlain = false;
            }
        }
        out.write(bytes, written, lineStart - written);
        rest = Arrays.copyOfRange(bytes, lineStart, bytes.length);
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

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}

package dev.berth.node.log;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Converts the bytes between two newlines into the text that a terminal would show. */
final class LineText {
    /** Longer lines are clipped, because browsers become slow on them. */
    static final int MOST_BYTES = 16 * 1024;

    private LineText() {}

    /**
     * A progress bar redraws itself on one line, so only the text after the last carriage return is
     * shown. Bytes that are not UTF-8 become U+FFFD.
     *
     * @param isWhole the bytes contain the beginning of the line
     */
    static String render(byte[] bytes, int from, int to, boolean isWhole) {
        var end = to;
        while (end > from && bytes[end - 1] == '\r') {
            end--;
        }
        var begin = end;
        while (begin > from && bytes[begin - 1] != '\r') {
            begin--;
        }
        var isBegun = isWhole || begin > from;
        if (end - begin <= MOST_BYTES) {
            return (isBegun ? "" : "[...] ") + text(bytes, begin, end);
        }
        return isBegun
                ? head(bytes, begin, end)
                : "[...] " + text(bytes, forward(bytes, end - MOST_BYTES, end), end);
    }

    private static String head(byte[] bytes, int from, int to) {
        var cut = from + MOST_BYTES;
        // Do not cut inside a character: continuation bytes are 10xxxxxx, and a character has at
        // most three of them.
        for (var back = 0; back < 3 && isContinuation(bytes[cut]); back++) {
            cut--;
        }
        return text(bytes, from, cut)
                + String.format(Locale.ROOT, " [... %,d bytes more in this line]", to - cut);
    }

    private static int forward(byte[] bytes, int from, int to) {
        var start = from;
        for (var step = 0; step < 3 && start < to && isContinuation(bytes[start]); step++) {
            start++;
        }
        return start;
    }

    private static boolean isContinuation(byte value) {
        return (value & 0xC0) == 0x80;
    }

    private static String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }
}

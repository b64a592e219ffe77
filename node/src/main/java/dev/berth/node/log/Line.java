package dev.berth.node.log;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** From the bytes between two newlines to what a terminal would show of them. */
final class Line {
    /** Longer lines are clipped: nobody reads them, and a browser chokes on them. */
    static final int LONGEST = 16 * 1024;

    private Line() {}

    /**
     * A progress bar draws itself again and again on one line: the text after its last carriage
     * return is what it came to. Bytes that are no UTF-8 become U+FFFD.
     *
     * @param isWhole its beginning is there
     */
    static String show(byte[] bytes, int from, int to, boolean isWhole) {
        var end = to;
        while (end > from && bytes[end - 1] == '\r') {
            end--;
        }
        var begin = end;
        while (begin > from && bytes[begin - 1] != '\r') {
            begin--;
        }
        var isBegun = isWhole || begin > from;
        if (end - begin <= LONGEST) {
            return (isBegun ? "" : "[...] ") + text(bytes, begin, end);
        }
        return isBegun
                ? head(bytes, begin, end)
                : "[...] " + text(bytes, forward(bytes, end - LONGEST, end), end);
    }

    private static String head(byte[] bytes, int from, int to) {
        var cut = from + LONGEST;
        // Not inside a character: continuation bytes are 10xxxxxx, and no character has more than
        // three.
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

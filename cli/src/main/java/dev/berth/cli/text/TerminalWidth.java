package dev.berth.cli.text;

/** The width of text on a terminal, in cells. */
public final class TerminalWidth {

    /**
     * First and last code points of the ranges that take two cells (Unicode's East Asian Wide and
     * Fullwidth, adjacent ranges joined).
     */
    private static final int[] WIDE = {
        0x1100, 0x115f, 0x231a, 0x231b, 0x23e9, 0x23ec, 0x25fd, 0x25fe, 0x2614, 0x2615, 0x2648,
        0x2653, 0x26a1, 0x26a1, 0x26bd, 0x26be, 0x26c4, 0x26c5, 0x26d4, 0x26d4, 0x2705, 0x2705,
        0x270a, 0x270b, 0x2728, 0x2728, 0x274c, 0x274c, 0x2753, 0x2755, 0x2795, 0x2797, 0x2b1b,
        0x2b1c, 0x2b50, 0x2b50, 0x2e80, 0x303e, 0x3041, 0x33ff, 0x3400, 0x4dbf, 0x4e00, 0xa4cf,
        0xa960, 0xa97c, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe30, 0xfe6f, 0xff01, 0xff60, 0xffe0,
        0xffe6, 0x16fe0, 0x18dff, 0x1b000, 0x1b2ff, 0x1f200, 0x1f265, 0x1f300, 0x1f64f, 0x1f680,
        0x1f6ff, 0x1f7e0, 0x1f7eb, 0x1f900, 0x1f9ff, 0x1fa70, 0x1faff, 0x20000, 0x2fffd, 0x30000,
        0x3fffd,
    };

    private TerminalWidth() {}

    public static int width(String text) {
        int width = 0;
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            width += width(point);
            at += Character.charCount(point);
        }
        return width;
    }

    /** Shortens the text to at most {@code cells}; an ellipsis replaces the rest. */
    public static String clip(String text, int cells) {
        if (width(text) <= cells) {
            return text;
        }
        int width = 0;
        int at = 0;
        while (at < text.length()) {
            int point = text.codePointAt(at);
            width += width(point);
            if (width > cells - 1) {
                break;
            }
            at += Character.charCount(point);
        }
        return text.substring(0, at) + "…";
    }

    /** Shortens the text to at most {@code cells}; an ellipsis replaces its middle. */
    public static String clipMiddle(String text, int cells) {
        if (width(text) <= cells) {
            return text;
        }
        String head = clip(text, (cells - 1) / 2 + 1);
        int rest = cells - width(head);
        int at = text.length();
        while (at > 0) {
            int point = text.codePointBefore(at);
            rest -= width(point);
            if (rest < 0) {
                break;
            }
            at -= Character.charCount(point);
        }
        return head + text.substring(at);
    }

    private static int width(int point) {
        if (point < 0x300) {
            return 1;
        }
        if (isWide(point)) {
            return 2;
        }
        return switch (Character.getType(point)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
            default -> 1;
        };
    }

    private static boolean isWide(int point) {
        for (int range = 0; range < WIDE.length && point >= WIDE[range]; range += 2) {
            if (point <= WIDE[range + 1]) {
                return true;
            }
        }
        return false;
    }
}

package dev.berth.cli.text;

/**
 * Makes text from other sources safe to print: the result contains no terminal control sequence.
 */
public final class SafeText {

    private static final char ESCAPE = '\u001b';
    private static final char BELL = '\u0007';

    private SafeText() {}

    /**
     * For names and messages: unprintable characters become escapes, and the result is one line.
     */
    public static String line(String text) {
        int length = text.length();
        int first = 0;
        while (first < length && isPlain(text.charAt(first))) {
            first++;
        }
        if (first == length) {
            return text;
        }
        StringBuilder clean = new StringBuilder(length + 16).append(text, 0, first);
        for (int at = first; at < length; ) {
            int point = text.codePointAt(at);
            at += Character.charCount(point);
            if (isHarmful(point)) {
                escape(point, clean);
            } else {
                clean.appendCodePoint(point);
            }
        }
        return clean.toString();
    }

    /**
     * For a line of a log: removes control sequences. If carriage returns overwrite the line (a
     * progress bar), only the last version stays.
     */
    public static String logLine(String text) {
        String last = afterLastReturn(text);
        int length = last.length();
        int first = 0;
        while (first < length && isPlain(last.charAt(first))) {
            first++;
        }
        if (first == length) {
            return last;
        }
        StringBuilder clean = new StringBuilder(length).append(last, 0, first);
        for (int at = first; at < length; ) {
            int point = last.codePointAt(at);
            if (point == ESCAPE) {
                at = afterSequence(last, at);
                continue;
            }
            at += Character.charCount(point);
            if (point == '\t' || !isHarmful(point)) {
                clean.appendCodePoint(point);
            }
        }
        return clean.toString();
    }

    /**
     * For JSON on one line: unprintable characters, which it can contain only in strings, become
     * escapes of JSON, so that it means the same.
     */
    public static String json(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints()
                .forEach(
                        point -> {
                            if (isHarmful(point)) {
                                for (char unit : Character.toChars(point)) {
                                    appendHex(unit, clean);
                                }
                            } else {
                                clean.appendCodePoint(point);
                            }
                        });
        return clean.toString();
    }

    /** Printable ASCII needs no further check. */
    private static boolean isPlain(char character) {
        return character >= ' ' && character < 0x7f;
    }

    private static boolean isHarmful(int point) {
        return switch (Character.getType(point)) {
            // Of the invisible format characters only the two joiners are part of normal text;
            // others reorder or hide text.
            case Character.FORMAT -> point != 0x200c && point != 0x200d;
            case Character.CONTROL,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    true;
            default -> false;
        };
    }

    private static void escape(int point, StringBuilder to) {
        switch (point) {
            case '\n' -> to.append("\\n");
            case '\r' -> to.append("\\r");
            case '\t' -> to.append("\\t");
            case ESCAPE -> to.append("\\e");
            default -> appendHex(point, to);
        }
    }

    private static void appendHex(int point, StringBuilder to) {
        String hex = Integer.toHexString(point);
        to.append("\\u").repeat('0', Math.max(0, 4 - hex.length())).append(hex);
    }

    private static String afterLastReturn(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == '\r') {
            end--;
        }
        return text.substring(text.lastIndexOf('\r', end - 1) + 1, end);
    }

    /** The index after the control sequence that starts at {@code at}. */
    private static int afterSequence(String text, int at) {
        if (at + 1 == text.length()) {
            return at + 1;
        }
        char kind = text.charAt(at + 1);
        return switch (kind) {
            case '[' -> afterFinal(text, at + 2, '@');
            // These introduce a string. If the string is not terminated, only the introducer is
            // removed, so that no text is hidden.
            case ']', 'P', 'X', '^', '_' -> afterString(text, at + 2);
            default -> kind >= ' ' && kind <= '/' ? afterFinal(text, at + 2, '0') : at + 2;
        };
    }

    /** Parameter and intermediate characters end with one final character. */
    private static int afterFinal(String text, int from, char lowestFinal) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= ' ' && text.charAt(at) < lowestFinal) {
            at++;
        }
        return at < text.length() && isPlain(text.charAt(at)) ? at + 1 : at;
    }

    private static int afterString(String text, int from) {
        for (int at = from; at < text.length(); at++) {
            if (text.charAt(at) == BELL) {
                return at + 1;
            }
            if (text.startsWith("\u001b\\", at)) {
                return at + 2;
            }
        }
        return from;
    }
}

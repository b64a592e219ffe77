package dev.berth.core.lane;

/**
 * A line that says something, without the spaces around it.
 *
 * @param number counted from 1
 */
record Line(int number, String text) {

    private static final int SHOWN = 40;

    /** Editors and keyboards of all scripts leave more kinds of space than the plain one. */
    static boolean isSpace(char c) {
        return switch (c) {
            case ' ', '\t', '\f', '\u000B', '\uFEFF', '\u200B' -> true;
            default -> c > 127 && Character.isSpaceChar(c);
        };
    }

    static String stripped(String text, int from, int to) {
        int start = from;
        int end = to;
        while (start < end && isSpace(text.charAt(start))) {
            start++;
        }
        while (end > start && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    static boolean hasOuterSpace(String text) {
        return !text.isEmpty()
                && (isSpace(text.charAt(0)) || isSpace(text.charAt(text.length() - 1)));
    }

    /** Only a tab may stand in a line: what else is below the space was never typed. */
    boolean hasControls() {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\t') || c == 127) {
                return true;
            }
        }
        return false;
    }

    /** The beginning of it, for a sentence about it. */
    String shown() {
        var words = new StringBuilder("\"");
        int end =
                text.offsetByCodePoints(0, Math.min(SHOWN, text.codePointCount(0, text.length())));
        text.substring(0, end)
                .codePoints()
                .map(c -> Character.isISOControl(c) || isHalf(c) ? '\uFFFD' : c)
                .forEach(words::appendCodePoint);
        return words.append(end < text.length() ? "…\"" : "\"").toString();
    }

    /** A lone half of a character has no bytes in any file. */
    static boolean isHalf(int codePoint) {
        return Character.getType(codePoint) == Character.SURROGATE;
    }
}

package dev.berth.core.commandfile;

/**
 * A non-empty line without surrounding space.
 *
 * @param number counted from 1
 */
record SourceLine(int number, String text) {

    private static final int MAX_SHOWN_CHARS = 40;

    /** Editors and input methods also produce other space characters than the ASCII ones. */
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

    /** Control characters other than a tab. */
    boolean hasControlCharacters() {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\t') || c == 127) {
                return true;
            }
        }
        return false;
    }

    /** The quoted beginning of the line, for a message. */
    String excerpt() {
        var excerpt = new StringBuilder("\"");
        int end =
                text.offsetByCodePoints(
                        0, Math.min(MAX_SHOWN_CHARS, text.codePointCount(0, text.length())));
        text.substring(0, end)
                .codePoints()
                .map(c -> Character.isISOControl(c) || isLoneSurrogate(c) ? '\uFFFD' : c)
                .forEach(excerpt::appendCodePoint);
        return excerpt.append(end < text.length() ? "…\"" : "\"").toString();
    }

    /** A lone surrogate cannot be encoded in UTF-8. */
    static boolean isLoneSurrogate(int codePoint) {
        return Character.getType(codePoint) == Character.SURROGATE;
    }
}

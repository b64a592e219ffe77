package dev.berth.cli.text;

/** Breaks sentences into lines that begin below each other, behind a label. */
public final class WrappedText {

    /** On a narrower terminal the terminal itself breaks the lines. */
    private static final int MIN_CELLS = 20;

    private WrappedText() {}

    /**
     * Appends lines, each with a line end.
     *
     * @param label before the first line, made safe to print by the caller
     * @param indent where the sentence begins, in cells; the label is shorter
     * @param width of the terminal; 0 means no limit
     */
    public static void append(
            StringBuilder to, String label, int indent, String sentence, int width) {
        int cells = width - indent < MIN_CELLS ? Integer.MAX_VALUE : width - indent;
        to.append(label).repeat(' ', indent - TerminalWidth.width(label));
        int used = 0;
        for (String word : SafeText.line(sentence).split(" ", -1)) {
            int length = TerminalWidth.width(word);
            if (used > 0 && used + 1 + length > cells) {
                to.append('\n').repeat(' ', indent);
                used = 0;
            }
            to.append(used > 0 ? " " : "").append(word);
            used += length + (used > 0 ? 1 : 0);
        }
        to.append('\n');
    }
}

package dev.berth.findings.diagnosis;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Frames of a traceback, and which of them are in the user's own code. */
final class UserFrame {

    private static final int MAX_PATH_CHARS = 200;

    /** {@code File "train.py", line 12, in main}, also of IPython and rich. */
    private static final Pattern FRAME =
            Pattern.compile(
                    "^\\W{0,12}File \"(?<file>[^\"]{1,400})\", line (?<line>\\d{1,7})(?:, in"
                            + " |$)|^\\W{0,8}(?<file2>[^\\s\":]{1,400}\\.py):(?<line2>\\d{1,7}) in"
                            + " \\S");

    /** Installed packages and the standard library are not the user's own code. */
    private static final Pattern INSTALLED =
            Pattern.compile(
                    "/(?:site|dist)-packages/|/lib(?:64)?/python\\d|^<|/opt/conda/lib/"
                            + "|\\bimportlib/|/torch/csrc/|^/tmp/pip-|/bin/[^/.]+$");

    private UserFrame() {}

    static boolean isFrame(String text) {
        return FRAME.matcher(text).find();
    }

    /** File and line of a frame in the user's own code; empty if the line is none. */
    static Optional<String> placeOf(String text) {
        // Most lines are not frames, and a search for words is faster than a pattern.
        if (!text.contains("File \"") && !text.contains(".py:")) {
            return Optional.empty();
        }
        var match = FRAME.matcher(text);
        return match.find() ? place(match) : Optional.empty();
    }

    private static Optional<String> place(Matcher match) {
        boolean isFirst = match.group("file") != null;
        var file = isFirst ? match.group("file") : match.group("file2");
        if (file.length() > MAX_PATH_CHARS || INSTALLED.matcher(file).find()) {
            return Optional.empty();
        }
        return Optional.of(file + ":" + (isFirst ? match.group("line") : match.group("line2")));
    }
}

package dev.berth.findings.diagnosis;

import dev.berth.findings.log.LogLevel;

import java.util.regex.Pattern;

/** Whether a line states a failure or only mentions one. */
final class Statement {

    /** Characters after a match that still belong to its statement. */
    private static final int CONTEXT_CHARS = 60;

    /** Characters before a match in which a word says that it is only mentioned. */
    private static final int BEFORE_CHARS = 100;

    /** The line mentions a failure that was handled. */
    private static final Pattern SURVIVED =
            Pattern.compile(
                    "(?i)(?<![.:/_])\\b(?:handled|caught|retry|retrying|retries|skip|skips|skipping|skipped|recovered|attempting"
                        + " to recover|falling back|fall back|ignored|ignoring|starting from"
                        + " scratch|not a failure|trying"
                        + " another|simulated|resolved|survived)\\b|\\(expected\\)|\\(suppressed\\)|,"
                        + " trying (?!to\\b)");

    /** The line mentions a failure that is only possible; an error may also contain these words. */
    private static final Pattern POSSIBLE =
            Pattern.compile(
                    "(?i)(?<![.:/_])\\b(?:to avoid|to prevent|avoids|prevents|in case of|if you|if"
                            + " the|when a|when the|previously|on failure|no longer|without|reduce"
                            + "|reduced|reducing|protect|guard)\\b");

    /** What the program did about the failure, at the end of the same line. */
    private static final Pattern HANDLED =
            Pattern.compile("(?i)(?:->|=>|;|,) ?(?:falling back|retrying|skipping)\\b");

    private static final Pattern LOW_LEVEL =
            Pattern.compile(
                    "\\b(?:WARN|WARNING|INFO|DEBUG|TRACE|NOTICE)\\b|^(?:\\S+ ){0,3}[WI] tensorflow/"
                            + "|\\[[WI]\\d{0,6} ?|^[WI]\\d{4} |\\b\\w{1,40}Warning: ");

    /** Text in quotes is a citation, unless it is the value of a field. */
    private static final Pattern QUOTED =
            Pattern.compile("(?:^|(?<![A-Z_]{5})[^:=\\s{\\[(])\\s{0,3}[\"'`]$");

    /** The end of a line that reports a test or check as passed. */
    private static final Pattern PASSED = Pattern.compile("\\b(?:PASS|PASSED|OK|passed)\\W{0,3}$");

    /** A line of a text file, as grep prints it. */
    private static final Pattern LINE_OF_FILE =
            Pattern.compile(
                    "^\\S{1,200}\\.(?:md|rst|txt|html?|log|out|err|tex|ipynb|json|ya?ml)[:-]\\d{1,7}[:-]");

    /** Indented lines that state a failure: of C++, of TensorFlow, of pip. */
    private static final Pattern INDENTED_STATEMENT =
            Pattern.compile(
                    "^\\s{1,8}(?:what\\(\\): |\\(\\d\\) |\\[?ERROR\\b|error: |Unknown command line"
                            + " flag|cannot open file '|java\\.lang\\.)");

    private Statement() {}

    /** Whether the match at these characters states a failure. */
    static boolean isStated(AnalyzedLine entry, int from, int to) {
        return entry.isException()
                || (isError(entry, from, to)
                        && (entry.level() == LogLevel.ERROR
                                || !POSSIBLE.matcher(around(entry.text(), from, to)).find()));
    }

    /** The same of a line that is marked as an error, or that begins with a word for it. */
    static boolean isError(AnalyzedLine entry, int from, int to) {
        return !isCommentOrHelp(entry) && !entry.level().isLow() && !isMention(entry, from, to);
    }

    /** Also lines of {@code set -x}. */
    private static boolean isCommentOrHelp(AnalyzedLine entry) {
        var text = entry.text();
        boolean isPadded = entry.level() == LogLevel.ERROR;
        return (entry.isIndented() && !isPadded && !INDENTED_STATEMENT.matcher(text).find())
                || text.startsWith("#")
                || text.startsWith("//")
                || text.startsWith("+ ")
                || text.startsWith("usage:");
    }

    /** Whether the text from this character is part of a citation or of a passed test. */
    static boolean isCited(String text, int from) {
        return LINE_OF_FILE.matcher(text.substring(0, from)).find()
                || PASSED.matcher(text).find()
                || isInQuotationMarks(text, from);
    }

    /** In a sentence that goes on after the quotation, so not as the value of a field. */
    private static boolean isInQuotationMarks(String text, int from) {
        boolean isInside = text.chars().limit(from).filter(one -> one == '"').count() % 2 == 1;
        int end = isInside ? text.indexOf('"', from) : -1;
        return end >= 0
                && end < text.length() - 2
                && (text.charAt(end + 1) == ' ' || text.charAt(end + 1) == ':')
                && ",}])".indexOf(text.charAt(end + 2)) < 0;
    }

    private static boolean isMention(AnalyzedLine entry, int from, int to) {
        var text = entry.text();
        return isCited(text, from)
                || SURVIVED.matcher(around(text, from, to)).find()
                || HANDLED.matcher(text).find()
                || LOW_LEVEL.matcher(text.substring(0, from)).find()
                || QUOTED.matcher(text.substring(0, from)).find();
    }

    private static String around(String text, int from, int to) {
        return text.substring(
                Math.max(0, from - BEFORE_CHARS), Math.min(text.length(), to + CONTEXT_CHARS));
    }
}

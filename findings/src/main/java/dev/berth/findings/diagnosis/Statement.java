package dev.berth.findings.diagnosis;

import dev.berth.findings.log.LogLevel;

import java.util.regex.Pattern;

/** Whether a line states a failure or only mentions one. */
final class Statement {

    /** Characters after a match that still belong to its statement. */
    private static final int CONTEXT_CHARS = 60;

    /** Characters before a match in which a word says that it is only mentioned. */
    private static final int BEFORE_CHARS = 100;

    /** The line mentions a failure that was handled, or that is only possible. */
    private static final Pattern MENTION =
            Pattern.compile(
                    "(?i)\\b(?:handled|caught|retry|retrying|retries|skip|skips|skipping|skipped|recovered|attempting"
                        + " to recover|falling back|fall back|ignored|ignoring|not a failure|trying"
                        + " another|to avoid|to prevent|avoids|prevents|in case of|if you|if"
                        + " the|when a|when the|simulated|previously|resolved|on"
                        + " failure|survived|no"
                        + " longer|without|reduce|reduced|reducing|protect|guard)\\b|\\(expected\\)|\\(suppressed\\)|,"
                        + " trying (?!to\\b)");

    /** What the program did about the failure, at the end of the same line. */
    private static final Pattern HANDLED =
            Pattern.compile("(?i)(?:->|=>|;|,) ?(?:falling back|retrying|skipping)\\b");

    private static final Pattern LOW_LEVEL =
            Pattern.compile(
                    "\\b(?:WARN|WARNING|INFO|DEBUG|TRACE|NOTICE)\\b|^(?:\\S+ ){0,3}[WI] tensorflow/"
                            + "|\\[[WI]\\d{0,6} ?|^[WI]\\d{4} |\\b\\w{1,40}Warning: ");

    /** Text in quotes is a citation, unless it is the value of a field. */
    private static final Pattern QUOTED = Pattern.compile("(?:^|[^:=\\s{\\[(])\\s{0,3}[\"'`]$");

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
                            + " flag|cannot open file ')");

    private Statement() {}

    /** Whether the match at these characters states a failure. */
    static boolean isStated(AnalyzedLine entry, int from, int to) {
        return entry.isException()
                || (!isCommentOrHelp(entry)
                        && !entry.level().isLow()
                        && !isMention(entry, from, to));
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
        var around =
                text.substring(
                        Math.max(0, from - BEFORE_CHARS),
                        Math.min(text.length(), to + CONTEXT_CHARS));
        return isCited(text, from)
                || MENTION.matcher(around).find()
                || HANDLED.matcher(text).find()
                || LOW_LEVEL.matcher(text.substring(0, from)).find()
                || QUOTED.matcher(text.substring(0, from)).find();
    }
}

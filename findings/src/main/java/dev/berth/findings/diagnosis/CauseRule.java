package dev.berth.findings.diagnosis;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a cause is recognised. */
sealed interface CauseRule {

    Pattern TRAILING_DIGIT = Pattern.compile("\\d$");

    Cause cause();

    /**
     * By a line of the log. The named groups of the pattern become parameters of the diagnosis; a
     * digit at the end of a group name is removed, because Java does not allow equal group names.
     *
     * @param where the match must be to count
     * @param pick which one, if several lines match
     * @param exitCode required exit code; 0 for any
     */
    record LineRule(Cause cause, Where where, Pattern pattern, Pick pick, int exitCode)
            implements CauseRule {

        LineRule(Cause cause, Where where, String pattern) {
            this(cause, where, Pattern.compile(pattern), Pick.LAST, 0);
        }

        LineRule first() {
            return new LineRule(cause, where, pattern, Pick.FIRST, exitCode);
        }

        LineRule withExit(int code) {
            return new LineRule(cause, where, pattern, pick, code);
        }
    }

    /** By the exit code alone, if no line of the log matches. */
    record ExitRule(Cause cause, int code) implements CauseRule {}

    enum Where {
        /** The exception at the end of a traceback. */
        RAISED,
        /** The same, if the exception is only a consequence of another failure. */
        FOLLOWING,
        /** An exception, with or without a traceback. */
        EXCEPTION,
        /** Any line that states the failure and does not only mention it. */
        STATEMENT,
        /** The same among the last lines: such lines are often harmless, so only the end counts. */
        AT_THE_END,
        /** Any line: only this failure prints such text. */
        ANYWHERE
    }

    /**
     * The first match is the root cause if others follow from it; otherwise the last is clearest.
     */
    enum Pick {
        FIRST,
        LAST
    }

    static SortedMap<String, String> params(Pattern pattern, Matcher match) {
        var found = new TreeMap<String, String>();
        for (var group : pattern.namedGroups().keySet()) {
            var value = match.group(group);
            if (value != null) {
                found.put(TRAILING_DIGIT.matcher(group).replaceFirst(""), value);
            }
        }
        return found;
    }
}

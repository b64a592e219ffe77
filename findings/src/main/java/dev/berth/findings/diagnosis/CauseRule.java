package dev.berth.findings.diagnosis;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** How a cause is recognised. */
sealed interface CauseRule {

    Pattern TRAILING_DIGIT = Pattern.compile("\\d$");

    Cause cause();

    /**
     * A pattern of a rule. Its named groups become parameters of the diagnosis; a digit at the end
     * of a group name is removed, because Java does not allow equal group names.
     *
     * @param literals texts of which every match contains one; empty if there are none
     */
    record LinePattern(Pattern pattern, List<String> literals) {

        static List<LinePattern> of(String regex) {
            return RegexLiteral.alternatives(regex).stream()
                    .map(one -> new LinePattern(Pattern.compile(one), RegexLiteral.of(one)))
                    .toList();
        }
    }

    /**
     * By a line of the log.
     *
     * @param where the match must be to count
     * @param patterns of which one must match
     * @param pick which line, if several match
     * @param exitCodes of which the command must have returned one; any if empty
     * @param kind which advice about the cause applies; empty for the general one
     */
    record LineRule(
            Cause cause,
            Where where,
            List<LinePattern> patterns,
            Pick pick,
            List<Integer> exitCodes,
            String kind)
            implements CauseRule {

        /** Matches a line that one of the expressions matches. */
        static LineRule of(Cause cause, Where where, String... expressions) {
            var patterns =
                    Stream.of(expressions)
                            .flatMap(regex -> LinePattern.of(regex).stream())
                            .toList();
            return new LineRule(cause, where, patterns, Pick.LAST, List.of(), "");
        }

        LineRule first() {
            return new LineRule(cause, where, patterns, Pick.FIRST, exitCodes, kind);
        }

        LineRule withExit(Integer... codes) {
            return new LineRule(cause, where, patterns, pick, List.of(codes), kind);
        }

        LineRule kind(String word) {
            return new LineRule(cause, where, patterns, pick, exitCodes, word);
        }

        /** The match of the first pattern that matches. */
        Optional<MatchResult> match(String text, BitSet keywords) {
            for (var one : patterns) {
                if (RuleKeywords.mayMatch(one, keywords)) {
                    var match = one.pattern().matcher(text);
                    if (match.find()) {
                        return Optional.of(match.toMatchResult());
                    }
                }
            }
            return Optional.empty();
        }
    }

    /** By the line near the end that looks most like an error, whatever program printed it. */
    record ErrorLineRule(Cause cause) implements CauseRule {}

    /** By the exit code alone, if no line of the log matches. */
    record ExitRule(Cause cause, int code) implements CauseRule {}

    enum Where {
        /** The exception at the end of a traceback, or the one that it was raised from. */
        RAISED,
        /** The same, if the exception is only a consequence of another failure. */
        FOLLOWING,
        /** An exception, with or without a traceback. */
        EXCEPTION,
        /** An exception that Python raises if it cannot start a command. */
        LAUNCHED,
        /** An exception in the output of a build, which an installer prints indented. */
        NESTED,
        /** The same in the output of pip. */
        INSTALLED,
        /** An exception without a traceback that was logged as an error at the end. */
        LOGGED,
        /** One of the last lines, if it is marked as an error. */
        LAST_ERROR,
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

    /** The values of the named groups. */
    static SortedMap<String, String> params(MatchResult match) {
        var found = new TreeMap<String, String>();
        for (var group : match.namedGroups().keySet()) {
            var value = match.group(group);
            if (value != null) {
                found.put(TRAILING_DIGIT.matcher(group).replaceFirst(""), value);
            }
        }
        return found;
    }
}

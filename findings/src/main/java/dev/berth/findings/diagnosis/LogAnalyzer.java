package dev.berth.findings.diagnosis;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Finds in the end of a log why a task failed. No diagnosis is better than a wrong one: a line
 * counts only if it states a failure, and if the program did not continue after it.
 */
public final class LogAnalyzer {

    private static final int MAX_LINE_CHARS = 300;
    private static final int LAST_LINES = 6;

    /** Characters after a match that still belong to its statement. */
    private static final int CONTEXT_CHARS = 60;

    /** The line mentions a failure that was handled, or that is only possible. */
    private static final Pattern MENTION =
            Pattern.compile(
                    "(?i)\\b(?:handled|caught|retry|retrying|retries|skip|skips|skipping|skipped|recovered|attempting"
                        + " to recover|falling back|fall back|ignored|ignoring|not a failure|trying"
                        + " another|to avoid|to prevent|avoids|prevents|in case of|if you|if"
                        + " the|when a|when the|simulated|previously|resolved|on"
                        + " failure|survived|no longer|without|reduce|reduced"
                        + "|reducing|protect|guard)\\b");

    private static final Pattern LOW_LEVEL =
            Pattern.compile(
                    "\\b(?:WARN|WARNING|INFO|DEBUG|TRACE|NOTICE)\\b|^(?:\\S+ ){0,3}[WI] tensorflow/"
                            + "|\\[[WI]\\d{0,6} ?|^[WI]\\d{4} ");

    /** Text in quotes is a citation, unless it is the value of a field. */
    private static final Pattern QUOTED = Pattern.compile("(?:^|[^:=\\s{\\[(])\\s{0,3}[\"'`]$");

    private static final Pattern PORT =
            Pattern.compile(
                    "(?i)(?:\\bport[:=]? |\\]:|0\\.0:|localhost:|127\\.0\\.0\\.1:)(\\d{2,5})\\b"
                            + "(?=.{0,200}?(?:in use|EADDRINUSE))");

    private static final Pattern ASSERTION = Pattern.compile("Assertion `([^`]{1,200})` failed");

    private final AnalyzedLog log;

    /** 0 if there is none. */
    private final int exitCode;

    private LogAnalyzer(AnalyzedLog log, int exitCode) {
        this.log = log;
        this.exitCode = exitCode;
    }

    /**
     * @param logEnd the last part of the log
     * @param exitCode empty if the processes disappeared without one
     * @return empty if the command succeeded, or if nothing in the log shows why it failed
     */
    public static Optional<Diagnosis> diagnose(String logEnd, OptionalInt exitCode) {
        boolean isSuccess = exitCode.isPresent() && exitCode.getAsInt() == 0;
        return isSuccess
                ? Optional.empty()
                : new LogAnalyzer(AnalyzedLog.of(logEnd), exitCode.orElse(0)).find();
    }

    private Optional<Diagnosis> find() {
        for (var rule : CauseRules.ALL) {
            var found =
                    switch (rule) {
                        case CauseRule.LineRule text -> match(text);
                        case CauseRule.ExitRule(Cause cause, int exit) ->
                                exit == exitCode
                                        ? Optional.of(new Diagnosis(cause, ExitCode.describe(exit)))
                                        : Optional.<Diagnosis>empty();
                    };
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<Diagnosis> match(CauseRule.LineRule rule) {
        if (rule.exitCode() != 0 && rule.exitCode() != exitCode) {
            return Optional.empty();
        }
        var candidates = log.candidates();
        for (int index : rule.pick() == CauseRule.Pick.FIRST ? candidates : candidates.reversed()) {
            var entry = log.entry(index);
            if (isPlaceAllowed(rule, index)) {
                var match = rule.pattern().matcher(entry.text());
                if (match.find()
                        && isStated(rule, entry, match.start(), match.end())
                        && !log.hasContinuedAfter(index)) {
                    var params = CauseRule.params(rule.pattern(), match);
                    return Optional.of(diagnosis(rule.cause(), entry, params));
                }
            }
        }
        return Optional.empty();
    }

    private boolean isPlaceAllowed(CauseRule.LineRule rule, int index) {
        var entry = log.entry(index);
        if (entry.isException() && CauseRules.isIntended(entry)) {
            return false;
        }
        return switch (rule.where()) {
            case RAISED -> entry.isException() && !CauseRules.isConsequence(entry);
            case FOLLOWING -> entry.isException() && CauseRules.isConsequence(entry);
            case EXCEPTION -> entry.isException() || entry.role() == AnalyzedLine.Role.BARE;
            case STATEMENT, ANYWHERE -> true;
            case AT_THE_END -> log.isNearEnd(index, LAST_LINES);
        };
    }

    private static boolean isStated(CauseRule.LineRule rule, AnalyzedLine entry, int from, int to) {
        return switch (rule.where()) {
            case RAISED, FOLLOWING, ANYWHERE -> true;
            case EXCEPTION, STATEMENT, AT_THE_END ->
                    entry.isException() || (!isCommentOrHelp(entry) && !isMention(entry, from, to));
        };
    }

    /** Also lines of {@code set -x}. */
    private static boolean isCommentOrHelp(AnalyzedLine entry) {
        var text = entry.text();
        return entry.isIndented()
                || text.startsWith("#")
                || text.startsWith("//")
                || text.startsWith("+ ")
                || text.startsWith("usage:");
    }

    private static boolean isMention(AnalyzedLine entry, int from, int to) {
        var text = entry.text();
        var around = text.substring(0, Math.min(text.length(), to + CONTEXT_CHARS));
        return MENTION.matcher(around).find()
                || LOW_LEVEL.matcher(text.substring(0, from)).find()
                || QUOTED.matcher(text.substring(0, from)).find();
    }

    private Diagnosis diagnosis(Cause cause, AnalyzedLine entry, SortedMap<String, String> named) {
        var params = new TreeMap<>(named);
        if (cause == Cause.OOM) {
            params.putAll(AllocationMessage.read(entry.text()));
        } else if (cause == Cause.PORT_IN_USE) {
            search(PORT, "port", params);
        } else if (cause == Cause.CUDA) {
            search(ASSERTION, "assertion", params);
        }
        return new Diagnosis(cause, cut(entry.line().strip()), params);
    }

    /** Another line than the decisive one may hold the value. */
    private void search(Pattern pattern, String name, SortedMap<String, String> params) {
        for (int index : log.candidates()) {
            var match = pattern.matcher(log.entry(index).text());
            if (match.find()) {
                params.putIfAbsent(name, match.group(1));
            }
        }
    }

    private static String cut(String line) {
        return line.length() <= MAX_LINE_CHARS ? line : line.substring(0, MAX_LINE_CHARS);
    }
}

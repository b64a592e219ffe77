package dev.berth.findings.diagnosis;

import dev.berth.findings.log.LogLevel;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Finds in the end of a log why a task failed. No diagnosis is better than a wrong one: a line
 * counts only if it states a failure, and if the program did not continue after it.
 */
public final class LogAnalyzer {

    private static final int MAX_LINE_CHARS = 300;
    private static final int LAST_LINES = 6;
    private static final int LAST_LOGGED_LINES = 12;

    private static final Pattern PORT =
            Pattern.compile(
                    "(?i)(?:\\bport[:=]? |\\]:|0\\.0:|localhost:|127\\.0\\.0\\.1:)(\\d{2,5})\\b"
                            + "(?=.{0,200}?(?:in use|EADDRINUSE))");

    private static final Pattern ASSERTION = Pattern.compile("Assertion `([^`]{1,200})` failed");

    private final AnalyzedLog log;

    /** 0 if there is none. */
    private final int exitCode;

    /** A line that a rule matches. */
    private record Match(int index, SortedMap<String, String> params) {}

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
                        case CauseRule.LineRule line -> find(line);
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

    private Optional<Diagnosis> find(CauseRule.LineRule rule) {
        if (!rule.exitCodes().isEmpty() && !rule.exitCodes().contains(exitCode)) {
            return Optional.empty();
        }
        var found = matches(rule);
        return rule.cause() == Cause.OOM ? found.map(first -> withSizes(rule, first)) : found;
    }

    private Optional<Diagnosis> matches(CauseRule.LineRule rule) {
        var candidates = log.candidates();
        boolean isFirst = rule.pick() == CauseRule.Pick.FIRST;
        for (int index : isFirst ? candidates : candidates.reversed()) {
            var match = match(rule, index);
            if (match.isPresent()) {
                return match.map(found -> diagnosis(rule, found));
            }
        }
        return Optional.empty();
    }

    private Optional<Match> match(CauseRule.LineRule rule, int index) {
        var entry = log.entry(index);
        if (!isPlaceAllowed(rule, index)) {
            return Optional.empty();
        }
        var match = rule.match(entry.text(), log.keywords(index));
        boolean isFound =
                match.filter(found -> isStated(rule, entry, found)).isPresent()
                        && !log.hasContinuedAfter(index);
        if (!isFound) {
            return Optional.empty();
        }
        int root = rule.where() == CauseRule.Where.RAISED ? log.rootOf(index) : index;
        var first = root == index ? match : rule.match(log.entry(root).text(), log.keywords(root));
        return first.map(found -> new Match(root, CauseRule.params(found)))
                .or(() -> match.map(found -> new Match(index, CauseRule.params(found))));
    }

    private boolean isStated(CauseRule.LineRule rule, AnalyzedLine entry, MatchResult found) {
        return isStatementNeeded(rule.where())
                ? Statement.isStated(entry, found.start(), found.end())
                : entry.isException() || !Statement.isCited(entry.text(), found.start());
    }

    private boolean isPlaceAllowed(CauseRule.LineRule rule, int index) {
        var entry = log.entry(index);
        if (entry.isException()
                && (ExceptionNames.isIntended(entry.text()) || log.isSuperseded(index))) {
            return false;
        }
        boolean isBare = entry.role() == AnalyzedLine.Role.BARE;
        return switch (rule.where()) {
            case RAISED -> entry.isException() && !ExceptionNames.isConsequence(entry.text());
            case FOLLOWING -> entry.isException() && ExceptionNames.isConsequence(entry.text());
            case EXCEPTION -> entry.isException() || isBare;
            case LAUNCHED -> log.isLaunch(index);
            case NESTED -> entry.isNested();
            case LOGGED ->
                    isBare
                            && entry.level() == LogLevel.ERROR
                            && log.isNearEnd(index, LAST_LOGGED_LINES);
            case LAST_ERROR -> log.isLastError(index);
            case STATEMENT, ANYWHERE -> true;
            case AT_THE_END -> log.isNearEnd(index, LAST_LINES);
        };
    }

    private static boolean isStatementNeeded(CauseRule.Where where) {
        return switch (where) {
            case RAISED, FOLLOWING, LAUNCHED, NESTED, ANYWHERE -> false;
            case EXCEPTION, LOGGED, LAST_ERROR, STATEMENT, AT_THE_END -> true;
        };
    }

    private Diagnosis diagnosis(CauseRule.LineRule rule, Match match) {
        var params = new TreeMap<>(match.params());
        var entry = log.entry(match.index());
        if (rule.cause() == Cause.OOM) {
            params.putAll(AllocationMessage.read(entry.text()));
        } else if (rule.cause() == Cause.PORT_IN_USE) {
            search(PORT, "port", params);
        } else if (rule.cause() == Cause.CUDA) {
            search(ASSERTION, "assertion", params);
        }
        if (!rule.kind().isEmpty()) {
            params.put(Diagnosis.KIND, rule.kind());
        }
        log.frameOf(match.index()).ifPresent(frame -> params.put(Diagnosis.FRAME, frame));
        return new Diagnosis(rule.cause(), cut(entry.line().strip()), params);
    }

    /**
     * Of several messages about the same shortage, the one with sizes says most, then an exception.
     */
    private Diagnosis withSizes(CauseRule.LineRule rule, Diagnosis first) {
        if (hasSizes(first)) {
            return first;
        }
        var all = log.candidates().stream().flatMap(index -> match(rule, index).stream()).toList();
        return all.stream()
                .map(match -> diagnosis(rule, match))
                .filter(LogAnalyzer::hasSizes)
                .findFirst()
                .or(
                        () ->
                                all.stream()
                                        .filter(match -> log.entry(match.index()).isException())
                                        .map(match -> diagnosis(rule, match))
                                        .findFirst())
                .orElse(first);
    }

    private static boolean hasSizes(Diagnosis diagnosis) {
        return diagnosis.params().containsKey(AllocationMessage.TRIED);
    }

    /** Another line than the decisive one may hold the value. */
    private void search(Pattern pattern, String name, SortedMap<String, String> params) {
        for (int index = 0; index < log.size(); index++) {
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

package dev.berth.findings.diagnosis;

import dev.berth.findings.log.LogLevel;

import java.util.ArrayList;
import java.util.List;
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
    private static final int LAST_LINES = 10;
    private static final int LAST_LOGGED_LINES = 12;

    /** Lines between the error of a library and the abort that follows it. */
    private static final int ABORT_LINES = 8;

    private static final String EXCEPTION = "exception";

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
                        case CauseRule.ErrorLineRule _ -> errorLine();
                        case CauseRule.ExitRule exit ->
                                exit.code() == exitCode
                                        ? Optional.of(byExit(exit))
                                        : Optional.<Diagnosis>empty();
                    };
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** The first line whose words name a cause, otherwise the first exception or line. */
    private Optional<Diagnosis> errorLine() {
        var lines = ErrorLines.find(log);
        for (int index : lines) {
            var named = byMessage(log.messageOf(index));
            if (named.isPresent()) {
                return named.map(this::withLibrary);
            }
        }
        return lines.stream()
                .filter(index -> ErrorLines.isStackBelow(log, index))
                .findFirst()
                .or(() -> lines.stream().findFirst())
                .map(
                        index ->
                                new Diagnosis(
                                        log.isBuildAfter(index) ? Cause.PACKAGES : Cause.TRACEBACK,
                                        cut(log.entry(log.messageOf(index)).line().strip())));
    }

    /** The line in which the program says why it ends says more than its exit code. */
    private Diagnosis byExit(CauseRule.ExitRule rule) {
        var lines = rule.cause() == Cause.SEGFAULT ? ErrorLines.find(log) : List.<Integer>of();
        if (lines.isEmpty()) {
            return new Diagnosis(rule.cause(), ExitCode.describe(rule.code()));
        }
        var entry = log.entry(log.messageOf(lines.getFirst()));
        var cause =
                MessageCauses.ofAbort(entry.text())
                        .map(MessageCauses.Meaning::cause)
                        .orElse(rule.cause());
        return new Diagnosis(cause, cut(entry.line().strip()));
    }

    private Optional<Diagnosis> find(CauseRule.LineRule rule) {
        if (!rule.exitCodes().isEmpty() && !rule.exitCodes().contains(exitCode)) {
            return Optional.empty();
        }
        var found = matches(rule);
        if (rule.cause() == Cause.OOM) {
            return found.map(first -> withSizes(rule, first));
        }
        return rule.cause() == Cause.CUDA ? found.map(first -> raised(rule).orElse(first)) : found;
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
                        && !log.hasContinuedAfter(index)
                        && !log.hasLaterFailure(index, rule.cause());
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
        if (log.isLossOfRanks(index)) {
            return false;
        }
        boolean isBare = entry.role() == AnalyzedLine.Role.BARE;
        return switch (rule.where()) {
            case RAISED ->
                    entry.isException()
                            && entry.level() != LogLevel.WARNING
                            && !log.isConsequence(index);
            case FOLLOWING -> entry.isException() && log.isConsequence(index);
            case EXCEPTION -> entry.isException() || isBare;
            case LAUNCHED -> log.isLaunch(index);
            case NESTED -> entry.isNested() && !log.isConsequence(index);
            case INSTALLED -> entry.isNested() && log.hasInstaller() && !log.isConsequence(index);
            case LOGGED ->
                    isBare
                            && entry.level() == LogLevel.ERROR
                            && log.isNearEnd(index, LAST_LOGGED_LINES)
                            && !log.isNormalAfter(index);
            case LAST_ERROR -> log.isLastError(index);
            case STATEMENT, ANYWHERE -> true;
            case AT_THE_END -> log.isNearEnd(index, LAST_LINES) && !log.isNormalAfter(index);
        };
    }

    private static boolean isStatementNeeded(CauseRule.Where where) {
        return switch (where) {
            case RAISED, FOLLOWING, LAUNCHED, NESTED, INSTALLED, ANYWHERE -> false;
            case EXCEPTION, LOGGED, LAST_ERROR, STATEMENT, AT_THE_END -> true;
        };
    }

    private Diagnosis diagnosis(CauseRule.LineRule rule, Match match) {
        var named = Optional.<Diagnosis>empty();
        if (rule.cause() == Cause.TRACEBACK) {
            named = byWords(rule, match.index());
        } else if (rule.cause() == Cause.SEGFAULT) {
            named = byAbort(match.index());
        }
        return named.orElseGet(() -> known(rule, match));
    }

    private Optional<Diagnosis> byWords(CauseRule.LineRule rule, int index) {
        if (!rule.kind().isEmpty()) {
            return Optional.empty();
        }
        // The exception only reports that a command or a process failed, which had its own words.
        var below =
                rule.where() == CauseRule.Where.FOLLOWING
                        ? errorLine()
                        : Optional.<Diagnosis>empty();
        return below.or(() -> byMessage(log.messageOf(index)).map(this::withLibrary));
    }

    /** A program that finds no GPU often warned before which library it could not load. */
    private Diagnosis withLibrary(Diagnosis found) {
        if (found.cause() != Cause.DRIVER) {
            return found;
        }
        for (int index = 0; index < log.size(); index++) {
            if (GpuRules.isMissingLibrary(log.entry(index).text())) {
                return new Diagnosis(
                        Cause.DRIVER, cut(log.entry(index).line().strip()), found.params());
            }
        }
        return found;
    }

    /** The cause that the words of an exception or of a tool name; empty if they name none. */
    private Optional<Diagnosis> byMessage(int first) {
        for (int index : log.message(first)) {
            var entry = log.entry(index);
            var meaning =
                    log.entry(first).role() == AnalyzedLine.Role.PLAIN
                            ? MessageCauses.ofTool(entry.text())
                            : MessageCauses.ofException(entry.text());
            if (meaning.isPresent()) {
                var params = new TreeMap<>(meaning.get().params());
                addValues(meaning.get().cause(), entry, params);
                if (!meaning.get().kind().isEmpty()) {
                    params.put(Diagnosis.KIND, meaning.get().kind());
                }
                log.frameOf(first).ifPresent(frame -> params.put(Diagnosis.FRAME, frame));
                return Optional.of(
                        new Diagnosis(meaning.get().cause(), cut(entry.line().strip()), params));
            }
        }
        return Optional.empty();
    }

    /** A library that aborts states the reason, in the line itself or in an error before it. */
    private Optional<Diagnosis> byAbort(int aborted) {
        if (CrashKind.of(log.entry(aborted).text()) != CrashKind.ABORT) {
            return Optional.empty();
        }
        var reasons = reasons(aborted);
        boolean isReport = CrashRules.isReport(log.entry(aborted).text()) && reasons.size() > 1;
        int own = isReport ? reasons.get(1) : aborted;
        for (int index : reasons) {
            var entry = log.entry(index);
            var meaning =
                    index == own
                            ? MessageCauses.ofAbort(entry.text())
                            : MessageCauses.ofLibrary(entry.text());
            if (meaning.isPresent()) {
                return Optional.of(new Diagnosis(meaning.get().cause(), cut(entry.line().strip())));
            }
        }
        return isReport
                ? Optional.of(new Diagnosis(Cause.SEGFAULT, cut(log.entry(own).line().strip())))
                : Optional.empty();
    }

    /** The line of the abort, then the errors before it, the nearest first. */
    private List<Integer> reasons(int aborted) {
        var found = new ArrayList<Integer>();
        found.add(aborted);
        int lines = 0;
        for (int index = aborted - 1; index >= 0 && lines < ABORT_LINES; index--) {
            var entry = log.entry(index);
            if (ErrorLines.isLastWord(entry)
                    && !entry.isIndented()
                    && !CrashRules.isReport(entry.text())) {
                found.add(index);
            }
            lines += entry.isIndented() ? 0 : 1;
        }
        return found;
    }

    private Diagnosis known(CauseRule.LineRule rule, Match match) {
        var params = new TreeMap<>(match.params());
        int shown =
                rule.cause() == Cause.TRACEBACK
                        ? log.messageOf(match.index())
                        : log.shownFor(match.index());
        var entry = log.entry(shown);
        addValues(rule.cause(), entry, params);
        if (!rule.kind().isEmpty()) {
            params.put(Diagnosis.KIND, rule.kind());
        }
        log.frameOf(match.index())
                .or(
                        () ->
                                params.containsKey(EXCEPTION)
                                        ? log.frameNear(match.index())
                                        : Optional.empty())
                .ifPresent(frame -> params.put(Diagnosis.FRAME, frame));
        return new Diagnosis(rule.cause(), cut(entry.line().strip()), params);
    }

    private void addValues(Cause cause, AnalyzedLine entry, SortedMap<String, String> params) {
        if (cause == Cause.OOM) {
            params.putAll(AllocationMessage.read(entry.text()));
        } else if (cause == Cause.PORT_IN_USE) {
            search(PORT, "port", params);
        } else if (cause == Cause.CUDA) {
            search(ASSERTION, "assertion", params);
        }
    }

    /**
     * Of several messages about the same shortage, the one with sizes says most, then an exception.
     */
    private Diagnosis withSizes(CauseRule.LineRule rule, Diagnosis first) {
        if (hasSizes(first)) {
            return first;
        }
        return log.candidates().stream()
                .flatMap(index -> match(rule, index).stream())
                .map(match -> diagnosis(rule, match))
                .filter(LogAnalyzer::hasSizes)
                .findFirst()
                .or(() -> raised(rule))
                .orElse(first);
    }

    /** An exception says more than the line that a library prints before it is raised. */
    private Optional<Diagnosis> raised(CauseRule.LineRule rule) {
        return log.candidates().stream()
                .flatMap(index -> match(rule, index).stream())
                .filter(match -> log.entry(match.index()).isException())
                .map(match -> diagnosis(rule, match))
                .findFirst();
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

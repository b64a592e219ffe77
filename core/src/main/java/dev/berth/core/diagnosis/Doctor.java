package dev.berth.core.diagnosis;

import dev.berth.core.task.Ending;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Reads from the end of a log why a task failed. It would rather say nothing than something wrong:
 * a line counts only where it states a failure, and where the program did not live on after it.
 */
public final class Doctor {

    private static final int LONGEST = 300;
    private static final int LAST_LINES = 6;

    /** So much behind a statement still belongs to it. */
    private static final int CONTEXT = 60;

    /** Speaks of a failure that is over, that somebody else may have, or that is only feared. */
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

    /** Words in quotes are somebody else's, unless they are the value of a field. */
    private static final Pattern QUOTED = Pattern.compile("(?:^|[^:=\\s{\\[(])\\s{0,3}[\"'`]$");

    private static final Pattern PORT =
            Pattern.compile(
                    "(?i)(?:\\bport[:=]? |\\]:|0\\.0:|localhost:|127\\.0\\.0\\.1:)(\\d{2,5})\\b"
                            + "(?=.{0,200}?(?:in use|EADDRINUSE))");

    private static final Pattern ASSERTION = Pattern.compile("Assertion `([^`]{1,200})` failed");

    private final Transcript log;
    private final int code;

    private Doctor(Transcript log, int code) {
        this.log = log;
        this.code = code;
    }

    /**
     * @param end of the log, as text
     * @return empty where it ended well, or where nothing says why it did not
     */
    public static Optional<Diagnosis> diagnose(String end, Ending ending) {
        return switch (ending) {
            case Ending.Exited(int code) ->
                    code == 0
                            ? Optional.empty()
                            : new Doctor(Transcript.of(end), code).find(ending);
            case Ending.Vanished _ -> new Doctor(Transcript.of(end), 0).find(ending);
            case Ending.MachineRestarted _,
                    Ending.NeverStarted _,
                    Ending.LaunchFailed _,
                    Ending.StartTimedOut _ ->
                    Optional.empty();
        };
    }

    private Optional<Diagnosis> find(Ending ending) {
        for (var rule : Rules.ALL) {
            var found =
                    switch (rule) {
                        case Rule.Text text -> read(text);
                        case Rule.Exit(Cause cause, int exit) ->
                                exit == code
                                        ? Optional.of(new Diagnosis(cause, ending.error()))
                                        : Optional.<Diagnosis>empty();
                    };
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<Diagnosis> read(Rule.Text rule) {
        if (rule.exitCode() != 0 && rule.exitCode() != code) {
            return Optional.empty();
        }
        var telling = log.telling();
        for (int index : rule.pick() == Rule.Pick.FIRST ? telling : telling.reversed()) {
            var entry = log.entry(index);
            if (mayStand(rule, index)) {
                var match = rule.pattern().matcher(entry.said());
                if (match.find()
                        && isStated(rule, entry, match.start(), match.end())
                        && !log.isSurvived(index)) {
                    var params = Rule.named(rule.pattern(), match);
                    return Optional.of(diagnosis(rule.cause(), entry, params));
                }
            }
        }
        return Optional.empty();
    }

    private boolean mayStand(Rule.Text rule, int index) {
        var entry = log.entry(index);
        if (entry.isException() && Rules.isWished(entry)) {
            return false;
        }
        return switch (rule.where()) {
            case RAISED -> entry.isException() && !Rules.isConsequence(entry);
            case FOLLOWING -> entry.isException() && Rules.isConsequence(entry);
            case EXCEPTION -> entry.isException() || entry.role() == Entry.Role.BARE;
            case STATEMENT, ANYWHERE -> true;
            case AT_THE_END -> log.isNearEnd(index, LAST_LINES);
        };
    }

    private static boolean isStated(Rule.Text rule, Entry entry, int from, int to) {
        return switch (rule.where()) {
            case RAISED, FOLLOWING, ANYWHERE -> true;
            case EXCEPTION, STATEMENT, AT_THE_END ->
                    entry.isException() || (!isAside(entry) && !isMention(entry, from, to));
        };
    }

    /** Comments, traces of a shell, help texts. */
    private static boolean isAside(Entry entry) {
        var said = entry.said();
        return entry.isIndented()
                || said.startsWith("#")
                || said.startsWith("//")
                || said.startsWith("+ ")
                || said.startsWith("usage:");
    }

    private static boolean isMention(Entry entry, int from, int to) {
        var said = entry.said();
        var around = said.substring(0, Math.min(said.length(), to + CONTEXT));
        return MENTION.matcher(around).find()
                || LOW_LEVEL.matcher(said.substring(0, from)).find()
                || QUOTED.matcher(said.substring(0, from)).find();
    }

    private Diagnosis diagnosis(Cause cause, Entry entry, SortedMap<String, String> named) {
        var params = new TreeMap<>(named);
        if (cause == Cause.OOM) {
            params.putAll(Allocation.read(entry.said()));
        } else if (cause == Cause.PORT_IN_USE) {
            search(PORT, "port", params);
        } else if (cause == Cause.CUDA) {
            search(ASSERTION, "assertion", params);
        }
        return new Diagnosis(cause, cut(entry.line().strip()), params);
    }

    /** What another line than the decisive one may say. */
    private void search(Pattern pattern, String name, SortedMap<String, String> params) {
        for (int index : log.telling()) {
            var match = pattern.matcher(log.entry(index).said());
            if (match.find()) {
                params.putIfAbsent(name, match.group(1));
            }
        }
    }

    private static String cut(String line) {
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST);
    }
}

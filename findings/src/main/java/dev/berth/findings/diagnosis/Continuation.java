package dev.berth.findings.diagnosis;

import dev.berth.findings.log.LogLevel;
import dev.berth.findings.progress.ProgressReader;

import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Whether the program continued after a line: then the error there is not what ended it. */
final class Continuation {

    private static final Pattern RECOVERY =
            Pattern.compile(
                    "(?i)^\\[ {1,8}OK \\]|^=+ restart |\\b(?:retry|retrying|trying again|falling"
                        + " back|fallback|skipping|skipped|continuing|continue"
                        + " without|sleeping|backing off|next attempt|recover(?:ed|ing)?|reducing"
                        + " batch|decreasing"
                        + " batch|proceeding|instead|retried|restor(?:e|ed|ing)|resum(?:e|ed|ing)|restarting|moving"
                        + " on|trying (?!to\\b)\\S+|as replacement|using"
                        + " .{0,30}?replacement|(?<!exception )ignored|ignoring|handled|as"
                        + " expected)\\b");

    private static final Pattern COMPLETION =
            Pattern.compile(
                    "(?i)(?<!\\bnot"
                        + " )\\b(?:training|evaluation|testing|run|job|everything)\\b(?:(?!\\bnot\\b).){0,40}?"
                        + "\\b(?:complete|completed|finished|done|successful|successfully)\\b(?!"
                        + " with (?:exit )?(?:status |code"
                        + " )?[1-9])|\\b(?:finished|completed|ended|exited)"
                        + " successfully\\b|\\b(?:results|predictions|report|transcript)"
                        + " (?:saved|written) to\\b|\\b(?:saved|wrote)"
                        + " (?:results|predictions|report|transcript) to\\b|\\btrial \\d{1,6}"
                        + " (?:finished|pruned)\\b|\\bbuild succeeded\\b|(?<![\\d.])0"
                        + " failed\\b|\\bexit (?:status|code)[ :=]{1,3}0$|^(?:graceful exit|exit"
                        + " 0)$|^\\[ {2}PASSED {2}\\]|^\\s{0,4}Successfully (?:installed|built)"
                        + " |^Training time:? \\d|\\bfinished \\d{1,9}"
                        + " (?:epochs|steps|iterations)\\b");

    /** Other ranks may still print a line or two after one rank has failed. */
    private static final int MIN_ACTIVITY = 3;

    private static final int RECOVERY_LINES = 3;
    private static final int MIN_LINES_BETWEEN = 10;
    private static final int MAX_LINES = 400;

    /** This number of lines that a logger marks as normal shows that the program went on. */
    private static final int MIN_NORMAL_LINES = 3;

    /** Printed while a program or its launcher ends. */
    private static final Pattern ENDING =
            Pattern.compile(
                    "(?i)kill|terminat|clos(?:e|ing)|shut|exit|clean|stop|abort|fail|error|signal"
                            + "|synced|syncing|upload|sending process|traceback|finished with");

    /** Traces of a shell, times, rules, and reports of an exit code. */
    private static final Pattern EPILOGUE =
            Pattern.compile(
                    "^\\++ |^(?:real|user|sys)\\s{1,8}\\d|^[-=*#_~]{4,}$|^\\[epilog\\w*\\]|^(?:Work"
                            + " dir|Container|Tip|Complete log|Shutting down|Exiting"
                            + " because)\\b|(?i)\\bexit(?:ed|ing)?(?: with)?["
                            + " -]?(?:code|status)\\b.{0,12}$|\\brc ?= ?\\d{1,3}$");

    /** A result or a success: printed by a program that goes on or has reached its end. */
    private static final Pattern SUCCESS =
            Pattern.compile(
                    "(?i)^(?!.{0,300}?\\b(?:not?|never|un\\w{2,20}|fail\\w{0,4}|errors?|abort\\w{0,3})\\b)"
                        + ".{0,300}?\\b(?:finished|completed?|done|processed|success\\w{0,6}|saved?|saving|wrote|written"
                        + "|passed|ok|accuracy|acc|loss|score|epochs?|steps?|started|starting|loaded|running|listening|ready|installed|resolved|enabled|using|as"
                        + " expected)\\b|(?<![\\d.])0 (?:\\w{1,20} )?(?:failed|errors)\\b");

    private final List<AnalyzedLine> entries;

    /** Enough activity follows every line before this index; computed lazily. */
    private OptionalInt lastActive = OptionalInt.empty();

    /** The last line that looks like normal work; computed lazily. */
    private OptionalInt lastNormal = OptionalInt.empty();

    Continuation(List<AnalyzedLine> entries) {
        this.entries = entries;
    }

    private boolean isActiveAfter(int index) {
        if (lastActive.isEmpty()) {
            int found = 0;
            int at = entries.size();
            while (at > 0 && found < MIN_ACTIVITY) {
                at--;
                found += isEndOfCaught(at) ? 0 : activity(entries.get(at));
            }
            int counted = found < MIN_ACTIVITY ? -1 : at;
            lastActive = OptionalInt.of(Math.max(counted, CountingLines.lastStart(entries)));
        }
        return index < lastActive.getAsInt();
    }

    /** What a program prints last after loguru has caught the exception that ended it. */
    private boolean isEndOfCaught(int index) {
        int at = index - 1;
        if (at < 0 || !entries.get(at).isException()) {
            return false;
        }
        do {
            at--;
        } while (at >= 0 && entries.get(at).role() == AnalyzedLine.Role.FRAME);
        return at >= 0 && entries.get(at).text().contains("An error has been caught in function");
    }

    private static int activity(AnalyzedLine entry) {
        if (entry.role() != AnalyzedLine.Role.PLAIN || isEpilogue(entry)) {
            return 0;
        }
        if (COMPLETION.matcher(entry.text()).find()) {
            return MIN_ACTIVITY;
        }
        return ProgressReader.showsActivity(entry.text()) ? 1 : 0;
    }

    boolean hasContinuedAfter(int index) {
        return isActiveAfter(index) || isRecoveredAfter(index) || isLoggedAfter(index);
    }

    /** Whether a script or a launcher prints such a line when its command has ended. */
    static boolean isEpilogue(AnalyzedLine entry) {
        return EPILOGUE.matcher(entry.text()).find();
    }

    /** Whether anything after the line looks like normal work, however little. */
    boolean isNormalAfter(int index) {
        if (lastNormal.isEmpty()) {
            int at = entries.size() - 1;
            while (at >= 0 && !isNormal(entries.get(at))) {
                at--;
            }
            lastNormal = OptionalInt.of(at);
        }
        return index < lastNormal.getAsInt();
    }

    private static boolean isNormal(AnalyzedLine entry) {
        if (entry.role() != AnalyzedLine.Role.PLAIN
                || entry.level() == LogLevel.ERROR
                || isEpilogue(entry)) {
            return false;
        }
        if (entry.level() == LogLevel.INFO && !ENDING.matcher(entry.text()).find()) {
            return true;
        }
        return entry.isIndented()
                ? ProgressReader.showsActivity(entry.text())
                : SUCCESS.matcher(entry.text()).find();
    }

    /** The same process logged normal work after the line. */
    private boolean isLoggedAfter(int index) {
        var speaker = entries.get(index).speaker();
        long normal =
                after(index, MAX_LINES).stream()
                        .filter(entry -> entry.level() == LogLevel.INFO)
                        .filter(entry -> entry.role() == AnalyzedLine.Role.PLAIN)
                        .filter(entry -> entry.speaker().equals(speaker))
                        .filter(entry -> !ENDING.matcher(entry.text()).find())
                        .limit(MIN_NORMAL_LINES)
                        .count();
        return normal >= MIN_NORMAL_LINES;
    }

    /** The traceback of a failure that was only reported may come before the recovery. */
    private boolean isRecoveredAfter(int index) {
        boolean isReport = ExceptionNames.isConsequence(entries.get(index).text());
        int lines = 0;
        for (var entry : after(index, MAX_LINES)) {
            boolean isTraceback = entry.role() == AnalyzedLine.Role.FRAME || entry.isException();
            if (lines == RECOVERY_LINES || (isTraceback && !isReport)) {
                return false;
            }
            if (!isTraceback && RECOVERY.matcher(entry.text()).find()) {
                return true;
            }
            lines += isTraceback ? 0 : 1;
        }
        return false;
    }

    /** Many lines later another exception ended the program that is not a consequence. */
    boolean hasLaterFailure(int index, Cause cause) {
        var speaker = entries.get(index).speaker();
        int between = 0;
        for (var entry : after(index, MAX_LINES)) {
            if (entry.speaker().equals(speaker)) {
                if (entry.isException() && !ExceptionNames.follows(entry.text(), cause)) {
                    return between > MIN_LINES_BETWEEN;
                }
                between += entry.role() == AnalyzedLine.Role.PLAIN ? 1 : 0;
            }
        }
        return false;
    }

    private List<AnalyzedLine> after(int index, int lines) {
        return entries.subList(index + 1, Math.min(entries.size(), index + 1 + lines));
    }
}

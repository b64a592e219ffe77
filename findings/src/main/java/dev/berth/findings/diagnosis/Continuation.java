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
                    "(?i)\\b(?:retry|retrying|trying again|falling"
                        + " back|fallback|skipping|skipped|continuing|continue"
                        + " without|sleeping|backing off|next attempt|recover(?:ed|ing)?|reducing"
                        + " batch|proceeding|instead|(?<!exception )ignored|ignoring|handled|as"
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
                        + " failed\\b|\\bexit (?:status|code)[ :=]{1,3}0$");

    /** Other ranks may still print a line or two after one rank has failed. */
    private static final int MIN_ACTIVITY = 3;

    private static final int RECOVERY_LINES = 3;
    private static final int MIN_LINES_BETWEEN = 10;
    private static final int MAX_LINES = 400;

    /** This number of lines that a logger marks as normal shows that the program went on. */
    private static final int MIN_NORMAL_LINES = 4;

    /** Printed while a program or its launcher ends. */
    private static final Pattern ENDING =
            Pattern.compile(
                    "(?i)kill|terminat|clos(?:e|ing)|shut|exit|clean|stop|abort|fail|error|signal"
                            + "|synced|syncing|upload|sending process|traceback|finished with");

    private final List<AnalyzedLine> entries;

    /** Enough activity follows every line before this index; computed lazily. */
    private OptionalInt lastActive = OptionalInt.empty();

    Continuation(List<AnalyzedLine> entries) {
        this.entries = entries;
    }

    private boolean isActiveAfter(int index) {
        if (lastActive.isEmpty()) {
            int found = 0;
            int at = entries.size();
            while (at > 0 && found < MIN_ACTIVITY) {
                at--;
                found += activity(entries.get(at));
            }
            int counted = found < MIN_ACTIVITY ? -1 : at;
            lastActive = OptionalInt.of(Math.max(counted, CountingLines.lastStart(entries)));
        }
        return index < lastActive.getAsInt();
    }

    private static int activity(AnalyzedLine entry) {
        if (entry.role() != AnalyzedLine.Role.PLAIN) {
            return 0;
        }
        if (COMPLETION.matcher(entry.text()).find()) {
            return MIN_ACTIVITY;
        }
        return ProgressReader.showsActivity(entry.text()) ? 1 : 0;
    }

    boolean hasContinuedAfter(int index) {
        return isActiveAfter(index)
                || isRecoveredAfter(index)
                || hasLaterFailure(index)
                || isLoggedAfter(index);
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

    private boolean isRecoveredAfter(int index) {
        for (var entry : after(index, RECOVERY_LINES)) {
            if (entry.role() != AnalyzedLine.Role.PLAIN) {
                return false;
            }
            if (RECOVERY.matcher(entry.text()).find()) {
                return true;
            }
        }
        return false;
    }

    /** Many lines later another exception ended the program that is not a consequence. */
    private boolean hasLaterFailure(int index) {
        var speaker = entries.get(index).speaker();
        int between = 0;
        for (var entry : after(index, MAX_LINES)) {
            if (entry.speaker().equals(speaker)) {
                if (entry.isException() && !ExceptionNames.isConsequence(entry.text())) {
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

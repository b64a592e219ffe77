package dev.berth.core.diagnosis;

import dev.berth.core.progress.ProgressReader;

import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** What came after each line: an error that a program got over is not what ended it. */
final class Aftermath {

    private static final Pattern GOES_ON =
            Pattern.compile(
                    "(?i)\\b(?:retry|retrying|trying again|falling back|fallback|skipping|skipped"
                            + "|continuing|continue without|recover(?:ed|ing)?|reducing batch"
                            + "|proceeding|instead|ignored|ignoring|handled)\\b");

    private static final Pattern IS_DONE =
            Pattern.compile(
                    "(?i)\\b(?:training|evaluation|testing|run|job|everything)\\b.{0,40}?"
                            + "\\b(?:complete|completed|finished|done|successful|successfully)\\b");

    /** A rank that failed may leave others a line or two. */
    private static final int LIFE_SIGNS = 3;

    private static final int GOES_ON_WITHIN = 3;
    private static final int WORK_BETWEEN = 10;
    private static final int FURTHEST = 400;

    private final List<Entry> entries;

    /** Until here enough signs of life follow. */
    private OptionalInt lastAlive = OptionalInt.empty();

    Aftermath(List<Entry> entries) {
        this.entries = entries;
    }

    private boolean worksAfter(int index) {
        if (lastAlive.isEmpty()) {
            int signs = 0;
            int at = entries.size();
            while (at > 0 && signs < LIFE_SIGNS) {
                at--;
                signs += weight(entries.get(at));
            }
            lastAlive = OptionalInt.of(signs < LIFE_SIGNS ? -1 : at);
        }
        return index < lastAlive.getAsInt();
    }

    private static int weight(Entry entry) {
        if (entry.role() != Entry.Role.PLAIN) {
            return 0;
        }
        if (IS_DONE.matcher(entry.said()).find()) {
            return LIFE_SIGNS;
        }
        return ProgressReader.isSignOfLife(entry.said()) ? 1 : 0;
    }

    boolean isSurvived(int index) {
        return worksAfter(index) || goesOnAfter(index) || failsElsewhereLater(index);
    }

    private boolean goesOnAfter(int index) {
        for (var entry : after(index, GOES_ON_WITHIN)) {
            if (entry.role() != Entry.Role.PLAIN) {
                return false;
            }
            if (GOES_ON.matcher(entry.said()).find()) {
                return true;
            }
        }
        return false;
    }

    /** Much was printed in between, and then something else was fatal, that did not follow. */
    private boolean failsElsewhereLater(int index) {
        var speaker = entries.get(index).speaker();
        int between = 0;
        for (var entry : after(index, FURTHEST)) {
            if (entry.speaker().equals(speaker)) {
                if (entry.isException() && !Rules.isConsequence(entry)) {
                    return between > WORK_BETWEEN;
                }
                between += entry.role() == Entry.Role.PLAIN ? 1 : 0;
            }
        }
        return false;
    }

    private List<Entry> after(int index, int lines) {
        return entries.subList(index + 1, Math.min(entries.size(), index + 1 + lines));
    }
}

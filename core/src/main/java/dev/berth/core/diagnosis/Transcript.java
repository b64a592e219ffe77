package dev.berth.core.diagnosis;

import dev.berth.core.log.PlainLines;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The lines of a log, each with the part it plays. */
final class Transcript {

    /** {@code [rank3]:}, {@code (Worker pid=12)}, {@code 3:} as of srun, {@code [1,3]<stderr>:}. */
    private static final Pattern SPEAKER =
            Pattern.compile(
                    "^(?:\\[(?:rank|default)?\\d+\\]:\\s?|\\([^()\\s]++ pid=\\d++[^()]*+\\)\\s"
                            + "|\\d+:\\s|\\[\\d+,\\d+\\]<std(?:err|out)>:\\s?)");

    private static final String HEADER = "Traceback (most recent call last):";

    private static final Pattern NAMED_LIKE_AN_EXCEPTION =
            Pattern.compile(
                    "^(?:[A-Za-z_]\\w*+\\.)*+[A-Z]\\w{0,60}?"
                            + "(?:Error|Exception|NotFound|Timeout|Impossible)(?::|$)");

    private static final int MOST_ENTRIES = 4000;

    /** Of lines that may tell anything; more of them tell nothing else. */
    static final int MOST_TELLING_CHARS = 32 * 1024;

    private final List<Entry> entries;
    private final List<Integer> telling;
    private final Aftermath aftermath;

    private Transcript(List<Entry> entries) {
        this.entries = entries;
        this.telling = telling(entries);
        this.aftermath = new Aftermath(entries);
    }

    private static List<Integer> telling(List<Entry> entries) {
        var found = new ArrayList<Integer>();
        int chars = 0;
        for (int i = entries.size() - 1; i >= 0 && chars < MOST_TELLING_CHARS; i--) {
            if (entries.get(i).isTelling()) {
                found.add(i);
                chars += entries.get(i).said().length();
            }
        }
        return List.copyOf(found.reversed());
    }

    static Transcript of(String text) {
        var lines = PlainLines.of(text);
        var entries = new ArrayList<Entry>();
        var open = new TreeSet<String>();
        var before = "";
        for (var line : lines.subList(Math.max(0, lines.size() - MOST_ENTRIES), lines.size())) {
            var match = SPEAKER.matcher(line);
            var speaker = match.find() ? match.group() : "";
            var said = line.substring(speaker.length());
            if (!said.isBlank()) {
                entries.add(new Entry(line, speaker, said, role(speaker, said, before, open)));
                before = said;
            }
        }
        return new Transcript(List.copyOf(entries));
    }

    /**
     * @param before the line before, by whoever
     * @param open speakers that are in the midst of a traceback; ranks print over each other
     */
    private static Entry.Role role(
            String speaker, String said, String before, SortedSet<String> open) {
        if (said.endsWith(HEADER)) {
            open.add(speaker);
            return Entry.Role.FRAME;
        }
        if (open.contains(speaker)) {
            if (Character.isWhitespace(said.charAt(0))) {
                return Entry.Role.FRAME;
            }
            open.remove(speaker);
            return Entry.Role.EXCEPTION;
        }
        if (NAMED_LIKE_AN_EXCEPTION.matcher(said).find()) {
            // Where the log's end begins in the midst of a traceback, its frames still show.
            boolean isAfterFrame = !before.isEmpty() && Character.isWhitespace(before.charAt(0));
            return isAfterFrame ? Entry.Role.EXCEPTION : Entry.Role.BARE;
        }
        return Entry.Role.PLAIN;
    }

    /** The places of those that may tell anything, in order. */
    List<Integer> telling() {
        return telling;
    }

    Entry entry(int index) {
        return entries.get(index);
    }

    boolean isNearEnd(int index, int lines) {
        return entries.size() - index <= lines;
    }

    /** Whether the program lived on after this line, so that it was not what ended it. */
    boolean isSurvived(int index) {
        return aftermath.isSurvived(index);
    }
}

package dev.berth.findings.diagnosis;

import dev.berth.findings.log.PlainLines;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The lines of a log, each with its role. */
final class AnalyzedLog {

    /** {@code [rank3]:}, {@code (Worker pid=12)}, {@code 3:} of srun, {@code [1,3]<stderr>:}. */
    private static final Pattern PREFIX =
            Pattern.compile(
                    "^(?:\\[(?:rank|default)?\\d+\\]:\\s?|\\([^()\\s]++ pid=\\d++[^()]*+\\)\\s"
                            + "|\\d+:\\s|\\[\\d+,\\d+\\]<std(?:err|out)>:\\s?)");

    private static final String HEADER = "Traceback (most recent call last):";

    private static final Pattern EXCEPTION_NAME =
            Pattern.compile(
                    "^(?:[A-Za-z_]\\w*+\\.)*+[A-Z]\\w{0,60}?"
                            + "(?:Error|Exception|NotFound|Timeout|Impossible)(?::|$)");

    private static final int MAX_ENTRIES = 4000;

    /** Limit for the candidate lines; more of them give no other result. */
    static final int MAX_CANDIDATE_CHARS = 32 * 1024;

    private final List<AnalyzedLine> entries;
    private final List<Integer> candidates;
    private final Continuation aftermath;

    private AnalyzedLog(List<AnalyzedLine> entries) {
        this.entries = entries;
        this.candidates = candidates(entries);
        this.aftermath = new Continuation(entries);
    }

    private static List<Integer> candidates(List<AnalyzedLine> entries) {
        var found = new ArrayList<Integer>();
        int chars = 0;
        for (int i = entries.size() - 1; i >= 0 && chars < MAX_CANDIDATE_CHARS; i--) {
            if (entries.get(i).isCandidate()) {
                found.add(i);
                chars += entries.get(i).text().length();
            }
        }
        return List.copyOf(found.reversed());
    }

    static AnalyzedLog of(String log) {
        var lines = PlainLines.of(log);
        var entries = new ArrayList<AnalyzedLine>();
        var open = new TreeSet<String>();
        var before = "";
        for (var line : lines.subList(Math.max(0, lines.size() - MAX_ENTRIES), lines.size())) {
            var match = PREFIX.matcher(line);
            var prefix = match.find() ? match.group() : "";
            var text = line.substring(prefix.length());
            if (!text.isBlank()) {
                entries.add(new AnalyzedLine(line, prefix, text, role(prefix, text, before, open)));
                before = text;
            }
        }
        return new AnalyzedLog(List.copyOf(entries));
    }

    /**
     * @param before the previous line, of any process
     * @param open prefixes of processes that are inside a traceback; ranks print interleaved
     */
    private static AnalyzedLine.Role role(
            String prefix, String text, String before, SortedSet<String> open) {
        if (text.endsWith(HEADER)) {
            open.add(prefix);
            return AnalyzedLine.Role.FRAME;
        }
        if (open.contains(prefix)) {
            if (Character.isWhitespace(text.charAt(0))) {
                return AnalyzedLine.Role.FRAME;
            }
            open.remove(prefix);
            return AnalyzedLine.Role.EXCEPTION;
        }
        if (EXCEPTION_NAME.matcher(text).find()) {
            // If the text begins inside a traceback, only its indented frames show it.
            boolean isAfterFrame = !before.isEmpty() && Character.isWhitespace(before.charAt(0));
            return isAfterFrame ? AnalyzedLine.Role.EXCEPTION : AnalyzedLine.Role.BARE;
        }
        return AnalyzedLine.Role.PLAIN;
    }

    /** Indices of the lines that rules are matched against, in order. */
    List<Integer> candidates() {
        return candidates;
    }

    AnalyzedLine entry(int index) {
        return entries.get(index);
    }

    boolean isNearEnd(int index, int lines) {
        return entries.size() - index <= lines;
    }

    /** Whether the program continued after this line, so that it is not what ended it. */
    boolean hasContinuedAfter(int index) {
        return aftermath.hasContinuedAfter(index);
    }
}

package dev.berth.findings.diagnosis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Lines that differ only in their numbers, the first of which grows by the same step from line to
 * line: whatever such a line counts, the program is working.
 */
final class CountingLines {

    private static final int MIN_LINES = 4;
    private static final int MAX_CHARS = 200;

    /** Printed once for each process or device, or while a program ends. */
    private static final Pattern NOT_WORK =
            Pattern.compile(
                    "(?i)\\bnot\\b|kill|terminat|clos(?:e|ing)|shut|exit|abort|fail|error|signal|timeout|timed"
                        + "|lost|died|rank|task|node|worker|thread|process|gpu|device|core\\b|pid|0x");

    /** The latest line of a series, and how many are known of it. */
    private record Series(long number, long step, int lines) {}

    private CountingLines() {}

    /** Index of the first of the last lines that count; -1 if there are none. */
    static int lastStart(List<AnalyzedLine> entries) {
        Map<String, Series> known = new HashMap<>();
        for (int i = entries.size() - 1; i >= 0; i--) {
            var text = entries.get(i).text();
            int at = firstDigit(text);
            if (entries.get(i).role() == AnalyzedLine.Role.PLAIN
                    && at >= 0
                    && text.length() <= MAX_CHARS
                    && !Character.isWhitespace(text.charAt(0))) {
                var series = known.merge(shape(text), first(text, at), CountingLines::joined);
                if (series.lines() >= MIN_LINES && !NOT_WORK.matcher(text).find()) {
                    return i;
                }
            }
        }
        return -1;
    }

    private static Series joined(Series later, Series earlier) {
        long step = later.number() - earlier.number();
        boolean isNext = step > 0 && (later.lines() == 1 || step == later.step());
        return new Series(earlier.number(), step, isNext ? later.lines() + 1 : 1);
    }

    private static Series first(String text, int at) {
        long number = 0;
        for (int i = at; i < text.length() && isDigit(text.charAt(i)); i++) {
            number = number * 10 + text.charAt(i) - '0';
        }
        return new Series(number, 0, 1);
    }

    private static int firstDigit(String text) {
        int at = 0;
        while (at < text.length() && !isDigit(text.charAt(at))) {
            at++;
        }
        return at < text.length() ? at : -1;
    }

    /** Numbers and the spaces around them become one character. */
    private static String shape(String text) {
        var shape = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (!isDigit(next) && next != ' ') {
                boolean isDecimalPoint = next == '.' && i > 0 && isDigit(text.charAt(i - 1));
                shape.append(isDecimalPoint ? '#' : next);
            } else if (shape.isEmpty() || shape.charAt(shape.length() - 1) != '#') {
                shape.append('#');
            }
        }
        return shape.toString();
    }

    private static boolean isDigit(char one) {
        return one >= '0' && one <= '9';
    }
}

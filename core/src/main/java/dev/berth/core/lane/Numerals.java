package dev.berth.core.lane;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/** A line of numbers and nothing else but a comment behind them. */
sealed interface Numerals {

    /** {@code 20}, {@code 20.5 GB}, {@code 1 #queue}. */
    record One(Figure figure) implements Numerals {}

    /** {@code 2-4}. */
    record Range(Figure least, Figure most) implements Numerals {}

    /** {@code 3,20}. */
    record Pair(Figure first, Figure second) implements Numerals {}

    static Optional<Numerals> of(String line) {
        var scan = new Scan(line);
        var first = scan.figure();
        if (first == null) {
            return Optional.empty();
        }
        if (scan.isOver()) {
            return Optional.of(new One(first));
        }
        char between = scan.next();
        boolean isPair = between == ',' || between == '，';
        if (!isPair && between != '-') {
            return Optional.empty();
        }
        var second = scan.figure();
        if (second == null || !scan.isOver() || (!isPair && second.isSigned())) {
            return Optional.empty();
        }
        return Optional.of(isPair ? new Pair(first, second) : new Range(first, second));
    }

    /** Walks once along a line. */
    final class Scan {
        private final String line;
        private int at;

        private Scan(String line) {
            this.line = line;
        }

        private @Nullable Figure figure() {
            skipSpaces();
            boolean isSigned = is('-') || is('+');
            at += isSigned ? 1 : 0;
            var whole = digits();
            boolean hasPoint = is('.');
            at += hasPoint ? 1 : 0;
            var fraction = hasPoint ? digits() : "";
            if (whole.isEmpty() && fraction.isEmpty()) {
                return null;
            }
            skipSpaces();
            return new Figure(
                    withoutLeadingZeros(whole),
                    withoutTrailingZeros(fraction),
                    isSigned,
                    unit(),
                    hasPoint);
        }

        /** Nothing follows but spaces or a comment. */
        private boolean isOver() {
            skipSpaces();
            return at == line.length() || is('#');
        }

        private char next() {
            return line.charAt(at++);
        }

        private boolean unit() {
            if (!is('g') && !is('G')) {
                return false;
            }
            at++;
            at += is('b') || is('B') ? 1 : 0;
            return true;
        }

        private String digits() {
            int from = at;
            while (at < line.length() && line.charAt(at) >= '0' && line.charAt(at) <= '9') {
                at++;
            }
            return line.substring(from, at);
        }

        private void skipSpaces() {
            while (at < line.length() && Line.isSpace(line.charAt(at))) {
                at++;
            }
        }

        private boolean is(char c) {
            return at < line.length() && line.charAt(at) == c;
        }

        private static String withoutLeadingZeros(String digits) {
            int from = 0;
            while (from < digits.length() && digits.charAt(from) == '0') {
                from++;
            }
            return digits.substring(from);
        }

        private static String withoutTrailingZeros(String digits) {
            int to = digits.length();
            while (to > 0 && digits.charAt(to - 1) == '0') {
                to--;
            }
            return digits.substring(0, to);
        }
    }
}

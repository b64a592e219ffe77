package dev.berth.core.commandfile;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/** A line that consists of numbers, optionally followed by a comment. */
sealed interface NumberLine {

    /** {@code 20}, {@code 20.5 GB}, {@code 1 #queue}. */
    record SingleNumber(NumberLiteral number) implements NumberLine {}

    /** {@code 2-4}. */
    record NumberRange(NumberLiteral min, NumberLiteral max) implements NumberLine {}

    /** {@code 3,20}. */
    record Pair(NumberLiteral first, NumberLiteral second) implements NumberLine {}

    static Optional<NumberLine> parse(String line) {
        var scan = new LineScanner(line);
        var first = scan.literal();
        if (first == null) {
            return Optional.empty();
        }
        if (scan.isAtEnd()) {
            return Optional.of(new SingleNumber(first));
        }
        char between = scan.next();
        boolean isPair = between == ',' || between == '，';
        if (!isPair && between != '-') {
            return Optional.empty();
        }
        var second = scan.literal();
        if (second == null || !scan.isAtEnd() || (!isPair && second.isSigned())) {
            return Optional.empty();
        }
        return Optional.of(isPair ? new Pair(first, second) : new NumberRange(first, second));
    }

    final class LineScanner {
        private final String line;
        private int at;

        private LineScanner(String line) {
            this.line = line;
        }

        private @Nullable NumberLiteral literal() {
            skipSpaces();
            boolean isSigned = is('-') || is('+');
            at += isSigned ? 1 : 0;
            var digits = digits();
            boolean hasPoint = is('.');
            at += hasPoint ? 1 : 0;
            var fraction = hasPoint ? digits() : "";
            if (digits.isEmpty() && fraction.isEmpty()) {
                return null;
            }
            skipSpaces();
            return new NumberLiteral(
                    withoutLeadingZeros(digits),
                    withoutTrailingZeros(fraction),
                    isSigned,
                    skipUnit(),
                    hasPoint);
        }

        /** Only spaces or a comment follow. */
        private boolean isAtEnd() {
            skipSpaces();
            return at == line.length() || is('#');
        }

        private char next() {
            return line.charAt(at++);
        }

        private boolean skipUnit() {
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
            while (at < line.length() && SourceLine.isSpace(line.charAt(at))) {
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

package dev.berth.findings.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Finds in a regular expression texts of which every match contains one. */
final class RegexLiteral {

    private static final String ANY_CASE = "(?i)";
    private static final int MIN_CHARS = 3;

    /** These letters after a backslash stand for themselves nowhere in the rules. */
    private static final String CLASSES = "dDsSwWbBAzZ";

    /** Of a group that captures or not; lookarounds and flags keep their question mark. */
    private static final Pattern GROUP_START = Pattern.compile("^\\?(?::|<[A-Za-z]\\w*>)");

    private final String regex;
    private final StringBuilder run = new StringBuilder();
    private String longest = "";

    /** One for each alternative of a group that must match. */
    private List<String> ofGroup = List.of();

    private int at;

    private RegexLiteral(String regex) {
        this.regex = regex;
    }

    /** The alternatives of an expression, each as an expression of its own. */
    static List<String> alternatives(String regex) {
        boolean isAnyCase = regex.startsWith(ANY_CASE);
        var found = new ArrayList<String>();
        var scan = new RegexLiteral(regex);
        int from = 0;
        while (scan.at < regex.length()) {
            if (regex.charAt(scan.at) == '|') {
                found.add(regex.substring(from, scan.at));
                from = scan.at + 1;
            }
            scan.skipOne();
        }
        found.add(regex.substring(from));
        return found.stream()
                .map(one -> isAnyCase && !one.startsWith(ANY_CASE) ? ANY_CASE + one : one)
                .toList();
    }

    /**
     * In lower case; empty if there is none of three characters.
     *
     * @param alternative an expression without alternatives outside of groups
     */
    static List<String> of(String alternative) {
        var scan = new RegexLiteral(alternative);
        while (scan.at < alternative.length()) {
            scan.read();
        }
        scan.endRun();
        return scan.longest.length() < MIN_CHARS
                ? scan.ofGroup
                : List.of(scan.longest.toLowerCase(Locale.ROOT));
    }

    private void read() {
        char next = regex.charAt(at);
        switch (next) {
            case '?', '*', '{' -> {
                // The character before may be missing.
                run.setLength(Math.max(0, run.length() - 1));
                endRun();
                skipOne();
            }
            case '(' -> readGroup();
            case '[', '.', '^', '$', '+' -> {
                endRun();
                skipOne();
                skipQuantifier();
            }
            case '\\' -> readEscaped();
            default -> append(next);
        }
    }

    /** The texts of a group count if the group must match. */
    private void readGroup() {
        endRun();
        int from = at;
        skipOne();
        var inner = GROUP_START.matcher(regex.substring(from + 1, at - 1)).replaceFirst("");
        boolean isOptional = at < regex.length() && "?*{".indexOf(regex.charAt(at)) >= 0;
        if (!isOptional && !inner.startsWith("?")) {
            takeGroup(alternatives(inner).stream().map(RegexLiteral::of).toList());
        }
        skipQuantifier();
    }

    private void takeGroup(List<List<String>> alternatives) {
        if (alternatives.size() == 1 && alternatives.getFirst().size() == 1) {
            var only = alternatives.getFirst().getFirst();
            longest = only.length() > longest.length() ? only : longest;
        } else if (ofGroup.isEmpty() && alternatives.stream().noneMatch(List::isEmpty)) {
            ofGroup = alternatives.stream().flatMap(List::stream).distinct().toList();
        }
    }

    private void readEscaped() {
        char next = regex.charAt(at + 1);
        if (CLASSES.indexOf(next) >= 0) {
            endRun();
            at += 2;
            skipQuantifier();
        } else {
            at++;
            append(next);
        }
    }

    private void append(char next) {
        if (next < 128) {
            run.append(next);
        } else {
            endRun();
        }
        at++;
    }

    private void endRun() {
        if (run.length() > longest.length()) {
            longest = run.toString();
        }
        run.setLength(0);
    }

    private void skipQuantifier() {
        while (at < regex.length() && "?*+{".indexOf(regex.charAt(at)) >= 0) {
            skipOne();
        }
    }

    /** Skips a character, an escaped one, a class or a whole group. */
    private void skipOne() {
        switch (regex.charAt(at)) {
            case '\\' -> at += 2;
            case '[' -> skipTo(']');
            case '{' -> skipTo('}');
            case '(' -> {
                at++;
                while (regex.charAt(at) != ')') {
                    skipOne();
                }
                at++;
            }
            default -> at++;
        }
    }

    private void skipTo(char end) {
        at++;
        while (regex.charAt(at) != end) {
            at += regex.charAt(at) == '\\' ? 2 : 1;
        }
        at++;
    }
}

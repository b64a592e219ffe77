package dev.berth.findings.diagnosis;

import dev.berth.findings.log.PlainLines;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** Logs that were written by somebody who did not know the rules, with what should be found. */
public final class UnseenLogs {

    private static final String FOLDER = "unseen/";
    private static final int MAX_LINE_CHARS = 300;

    /**
     * @param causes any of these is right
     * @param decisive any of these lines is right
     */
    record Failing(
            String name, int exitCode, Set<String> causes, Set<String> decisive, String text) {

        Failing {
            causes = Set.copyOf(causes);
            decisive = Set.copyOf(decisive);
        }

        /** The decisive lines if this prefix is printed before each line. */
        Set<String> decisiveBehind(IntFunction<String> prefix) {
            var found = new HashSet<>(decisive);
            var lines = text.lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                if (decisive.stream().noneMatch(lines.get(i)::contains)) {
                    continue;
                }
                // A bar and the error behind it are one line of the file, but two of the log.
                var plain = PlainLines.of(lines.get(i));
                var prefixed = PlainLines.of(prefix.apply(i) + lines.get(i));
                for (int j = 0; j < Math.min(plain.size(), prefixed.size()); j++) {
                    if (decisive.contains(cut(plain.get(j)))) {
                        found.add(cut(prefixed.get(j)));
                    }
                }
            }
            return found;
        }
    }

    record Healthy(String name, String text) {}

    /**
     * @param total empty if the line does not have it, like the others
     */
    public record ProgressLine(
            String name, String line, String done, String total, String fraction) {}

    private UnseenLogs() {}

    static List<Failing> failing() {
        return rows("failing.tsv").map(UnseenLogs::failing).toList();
    }

    static List<Healthy> healthy() {
        return rows("healthy.tsv")
                .map(
                        row ->
                                new Healthy(
                                        row[0],
                                        LogCorpus.text(FOLDER + "healthy/" + row[0] + ".txt")))
                .toList();
    }

    public static List<ProgressLine> progress() {
        return rows("progress.tsv")
                .map(
                        row ->
                                new ProgressLine(
                                        row[0],
                                        row[1].replace("\\t", "\t"),
                                        row[2],
                                        row[3],
                                        row[4]))
                .toList();
    }

    static String behind(IntFunction<String> prefix, String text) {
        var lines = new ArrayList<String>();
        text.lines().forEach(line -> lines.add(prefix.apply(lines.size()) + line));
        return String.join("\n", lines) + "\n";
    }

    private static Failing failing(String[] row) {
        var lines = new HashSet<String>();
        Arrays.stream(row[3].split(" \\|\\|\\| ")).map(UnseenLogs::cut).forEach(lines::add);
        return new Failing(
                row[0],
                Integer.parseInt(row[1]),
                Set.of(row[2].split("\\|")),
                lines,
                LogCorpus.text(FOLDER + "failing/" + row[0] + ".txt"));
    }

    private static String cut(String line) {
        var bare = line.strip();
        return bare.length() > MAX_LINE_CHARS ? bare.substring(0, MAX_LINE_CHARS) : bare;
    }

    private static Stream<String[]> rows(String table) {
        return LogCorpus.text(FOLDER + table)
                .lines()
                .filter(row -> !row.startsWith("#"))
                .map(row -> row.split("\t", -1));
    }
}

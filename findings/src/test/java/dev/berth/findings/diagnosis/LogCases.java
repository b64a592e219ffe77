package dev.berth.findings.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Short logs, many to a file. A log begins with {@code === name | exit code | cause}, {@code -} for
 * no diagnosis; its decisive line is marked, or follows the cause if the log does not have it.
 */
final class LogCases {

    private static final String START = "=== ";
    private static final String DECISIVE = "» ";
    private static final List<String> FILES =
            List.of("memory", "crash", "chain", "setup", "tools", "trackers", "kinds", "healthy");

    /**
     * @param cause empty if nothing may be found
     * @param lineNumber of the decisive line, from 0; -1 if the log does not have it
     */
    record Case(
            String name,
            int exitCode,
            Optional<String> cause,
            String line,
            int lineNumber,
            List<String> lines) {

        String text() {
            return String.join("\n", lines) + "\n";
        }
    }

    private LogCases() {}

    static List<Case> all() {
        return FILES.stream().flatMap(LogCases::read).toList();
    }

    static List<Case> failing() {
        return all().stream().filter(one -> one.cause().isPresent()).toList();
    }

    static List<Case> healthy() {
        return all().stream().filter(one -> one.cause().isEmpty()).toList();
    }

    private static Stream<Case> read(String file) {
        return Stream.of(LogCorpus.text("cases/" + file + ".txt").split("(?m)^" + START))
                .filter(text -> !text.isBlank())
                .map(LogCases::parse);
    }

    private static Case parse(String text) {
        var all = text.lines().toList();
        var head = all.getFirst().split(" \\| ");
        var lines = new ArrayList<String>();
        var decisive = head.length > 3 ? head[3] : "";
        int number = -1;
        for (var line : all.subList(1, all.size())) {
            if (line.startsWith(DECISIVE)) {
                number = lines.size();
                decisive = line.substring(DECISIVE.length());
            }
            lines.add(line.startsWith(DECISIVE) ? line.substring(DECISIVE.length()) : line);
        }
        return new Case(
                head[0],
                Integer.parseInt(head[1]),
                head[2].equals("-") ? Optional.empty() : Optional.of(head[2]),
                decisive,
                number,
                List.copyOf(lines));
    }
}

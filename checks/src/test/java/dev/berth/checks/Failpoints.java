package dev.berth.checks;

import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The points at which a test can kill a process, in Java and in both shims. */
final class Failpoints {

    private static final Pattern REACHED =
            Pattern.compile("(?:\\breach\\(\"|\\bberth_at )([a-z]+\\.[a-z-]+)");

    private static final Pattern QUOTED = Pattern.compile("\"([a-z]+\\.[a-z-]+)[\",]");

    private Failpoints() {}

    /** Those at which no end-to-end test kills a process. */
    static List<String> withoutKill(Stream<SourceFile> sources, Stream<SourceFile> tests) {
        var killedAt = names(tests, QUOTED);
        return names(sources, REACHED).stream()
                .filter(point -> !killedAt.contains(point))
                .sorted()
                .toList();
    }

    private static Set<String> names(Stream<SourceFile> files, Pattern pattern) {
        return files.flatMap(file -> pattern.matcher(file.text()).results())
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toSet());
    }
}

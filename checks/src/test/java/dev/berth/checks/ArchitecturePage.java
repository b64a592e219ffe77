package dev.berth.checks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The two tables of docs/architecture.md that describe files: the modules, and the changes. */
final class ArchitecturePage {
    private static final String MODULES = "The modules";
    private static final String CHANGES = "Where do I change …?";

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern DEPENDENCY =
            Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);
    private static final Pattern OWN =
            Pattern.compile("<groupId>(?:dev\\.berth|\\$\\{project\\.groupId})</groupId>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>([^<]+)</artifactId>");
    private static final Pattern NOT_SHIPPED = Pattern.compile("<scope>(?:test|provided)</scope>");

    private final String text;

    ArchitecturePage(String text) {
        this.text = text;
    }

    static ArchitecturePage of(Path root) {
        return new ArchitecturePage(read(root.resolve("docs/architecture.md")));
    }

    /** What each module uses, as the page says. */
    Map<String, SortedSet<String>> modules() {
        var modules = new TreeMap<String, SortedSet<String>>();
        for (var row : rows(MODULES)) {
            modules.put(codes(row.getFirst()).getFirst(), new TreeSet<>(codes(row.getLast())));
        }
        return modules;
    }

    /** What each module uses, as its {@code pom.xml} says. */
    static Map<String, SortedSet<String>> modulesOfThePoms(Path root) {
        var modules = new TreeMap<String, SortedSet<String>>();
        for (var module : groups(MODULE, read(root.resolve("pom.xml")))) {
            modules.put(module, uses(read(root.resolve(module, "pom.xml"))));
        }
        return modules;
    }

    private static SortedSet<String> uses(String pom) {
        var used = new TreeSet<String>();
        for (var dependency : groups(DEPENDENCY, pom)) {
            if (OWN.matcher(dependency).find() && !NOT_SHIPPED.matcher(dependency).find()) {
                used.addAll(groups(ARTIFACT, dependency));
            }
        }
        return used;
    }

    int changes() {
        return rows(CHANGES).size();
    }

    /** The rows of the changes without a path, or with a path that does not exist. */
    List<Violation> violations(Path root) {
        return rows(CHANGES).stream()
                .flatMap(
                        row -> {
                            var paths = paths(row.getLast());
                            var missing =
                                    paths.stream()
                                            .filter(path -> !Files.exists(root.resolve(path)))
                                            .toList();
                            return paths.isEmpty() ? List.of("no path").stream() : missing.stream();
                        })
                .map(path -> new Violation(path, "is named in docs/architecture.md"))
                .toList();
    }

    /** A name with an asterisk describes classes in the directory before it. */
    private static List<String> paths(String cell) {
        return codes(cell).stream().filter(code -> !code.contains("*")).toList();
    }

    /** The cells of each row of the table in a section, without its two header rows. */
    private List<List<String>> rows(String section) {
        int from = text.indexOf("\n## " + section + "\n");
        if (from < 0) {
            throw new IllegalStateException("docs/architecture.md has no section " + section);
        }
        int next = text.indexOf("\n## ", from + 1);
        return text.substring(from, next < 0 ? text.length() : next)
                .lines()
                .filter(line -> line.startsWith("|"))
                .skip(2)
                .map(ArchitecturePage::cells)
                .toList();
    }

    private static List<String> cells(String row) {
        return Arrays.stream(row.substring(1).split("\\|", -1))
                .map(String::strip)
                .filter(cell -> !cell.isEmpty())
                .toList();
    }

    private static List<String> codes(String cell) {
        return groups(CODE, cell);
    }

    private static List<String> groups(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

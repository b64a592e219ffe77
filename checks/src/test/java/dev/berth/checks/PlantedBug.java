package dev.berth.checks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bug that the tests must catch: in one file of the product, a text is replaced by another.
 *
 * @param name the name of its file in {@code planted-bugs}, without the ending
 * @param summary what the product then does wrong
 * @param file the changed file, relative to the project
 * @param tests the test classes, one of which must fail
 */
record PlantedBug(
        String name,
        String summary,
        Path file,
        String module,
        List<String> tests,
        String original,
        String replacement) {

    private static final Pattern FORMAT =
            Pattern.compile(
                    "Bug: (?<summary>[^\\n]+)\\n"
                            + "File: (?<file>\\S+)\\n"
                            + "Caught by: (?<module>[a-z]+) (?<tests>[\\w ]+)\\n"
                            + "=== original\\n(?<original>.*?)"
                            + "=== planted\\n(?<planted>.*)",
                    Pattern.DOTALL);

    PlantedBug {
        tests = List.copyOf(tests);
    }

    static List<PlantedBug> all(Path directory) {
        try (var files = Files.list(directory)) {
            return files.sorted().map(PlantedBug::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException("listing " + directory, e);
        }
    }

    private static PlantedBug read(Path description) {
        Matcher parts = FORMAT.matcher(readText(description));
        if (!parts.matches()) {
            throw new IllegalArgumentException(description + " has another format");
        }
        return new PlantedBug(
                description.getFileName().toString().replace(".txt", ""),
                parts.group("summary"),
                Path.of(parts.group("file")),
                parts.group("module"),
                List.of(parts.group("tests").split(" ")),
                parts.group("original"),
                parts.group("planted"));
    }

    /** How often the text to replace occurs in the project; must be 1. */
    long occurrences(Path root) {
        return Pattern.compile(Pattern.quote(original))
                .matcher(readText(root.resolve(file)))
                .results()
                .count();
    }

    /** Changes the file, until the result is closed. */
    Planted plant(Path root) throws IOException {
        var target = root.resolve(file);
        var text = readText(target);
        if (!text.contains(original)) {
            throw new IllegalStateException(file + " does not contain the text of " + name);
        }
        Files.writeString(target, text.replace(original, replacement));
        return () -> Files.writeString(target, text);
    }

    interface Planted extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    private static String readText(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + path, e);
        }
    }
}

package dev.berth.checks;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The project on disk: its modules, their compiled classes and their sources. */
final class Project {
    /** Not one of {@link #modules()}: its tests contain the offenders. */
    private static final String THIS_MODULE = "checks";

    private final Path root;

    Project(Path root) {
        this.root = root;
    }

    /** The project that contains this module. */
    static Project here() {
        var root = Path.of(System.getProperty("berth.root", ".."));
        if (!Files.isRegularFile(root.resolve("check"))) {
            throw new IllegalStateException(root.toAbsolutePath() + " is not the project");
        }
        return new Project(root);
    }

    /** All directories with a {@code pom.xml}, so that a new module needs no entry here. */
    List<String> modules() {
        return list(root).stream()
                .filter(directory -> Files.isRegularFile(directory.resolve("pom.xml")))
                .map(directory -> directory.getFileName().toString())
                .filter(name -> !name.equals(THIS_MODULE))
                .toList();
    }

    List<String> javaModules() {
        return modules().stream()
                .filter(name -> Files.isDirectory(root.resolve(name, "src/main/java")))
                .toList();
    }

    JavaClasses product() {
        return classes(Stream.of("target/classes"));
    }

    JavaClasses productAndTests() {
        return classes(Stream.of("target/classes", "target/test-classes"));
    }

    JavaClasses offenders() {
        return new ClassFileImporter().importPath(root.resolve(THIS_MODULE, "target/test-classes"));
    }

    private JavaClasses classes(Stream<String> outputs) {
        var directories =
                outputs.flatMap(
                                output ->
                                        modules().stream().map(name -> root.resolve(name, output)))
                        .filter(Files::isDirectory)
                        .toList();
        return new ClassFileImporter().importPaths(directories);
    }

    /** The files that the formatter, which runs before all modules, would change. */
    List<String> unformatted() {
        var list = root.resolve("target/format/unformatted");
        if (!Files.exists(list)) {
            throw new IllegalStateException("the formatter has not run: it does in `mvn verify`");
        }
        return read(list).text().lines().toList();
    }

    List<SourceFile> sources() {
        return Stream.concat(modules().stream(), Stream.of(THIS_MODULE))
                .flatMap(
                        name ->
                                Stream.of(
                                        root.resolve(name, "src/main/java"),
                                        root.resolve(name, "src/test/java")))
                .filter(Files::isDirectory)
                .flatMap(this::javaFiles)
                .toList();
    }

    /** The native shim and the one of bash. */
    List<SourceFile> shims() {
        var node = root.resolve("node/src/main");
        return Stream.concat(
                        files(node.resolve("c"), ""),
                        files(node.resolve("resources/dev/berth/node/shim"), ".sh"))
                .toList();
    }

    private Stream<SourceFile> javaFiles(Path directory) {
        return files(directory, ".java");
    }

    private Stream<SourceFile> files(Path directory, String end) {
        try (var files = Files.walk(directory)) {
            return files
                    .filter(file -> file.toString().endsWith(end) && Files.isRegularFile(file))
                    .sorted()
                    .toList()
                    .stream()
                    .map(this::read);
        } catch (IOException e) {
            throw new UncheckedIOException("walking " + directory, e);
        }
    }

    String ledger() {
        return read(root.resolve("docs/ledger.md")).text();
    }

    /** The section about attacks of docs/security.md. */
    String attacks() {
        var text = read(root.resolve("docs/security.md")).text();
        int begin = text.indexOf("### Attacks that are tests");
        return text.substring(begin, text.indexOf("\n## ", begin));
    }

    private SourceFile read(Path file) {
        try {
            return new SourceFile(root.relativize(file).toString(), Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + file, e);
        }
    }

    private static List<Path> list(Path directory) {
        try (var entries = Files.list(directory)) {
            return entries.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException("listing " + directory, e);
        }
    }
}

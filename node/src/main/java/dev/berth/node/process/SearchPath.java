package dev.berth.node.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where programs are looked for.
 *
 * @param directories as in PATH; entries that are not absolute are passed over, since they would
 *     mean the directory one happens to be in
 */
public record SearchPath(String directories) {

    public static SearchPath of(Map<String, String> environment) {
        return new SearchPath(environment.getOrDefault("PATH", ""));
    }

    /** The same, and then where every system has its programs. */
    public SearchPath orUsual() {
        return new SearchPath(directories + ":/usr/local/bin:/usr/bin:/bin");
    }

    public Optional<Path> find(String program) {
        return Stream.of(directories.split(":", -1))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, program))
                .filter(file -> Files.isExecutable(file) && !Files.isDirectory(file))
                .findFirst();
    }
}

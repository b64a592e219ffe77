package dev.berth.node.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Directories in which programs are searched.
 *
 * @param directories as in PATH; relative entries are ignored, because they would depend on the
 *     working directory
 */
public record SearchPath(String directories) {

    /** Where the programs are that root may run. */
    public static final SearchPath SYSTEM = new SearchPath("/usr/bin:/bin:/usr/sbin:/sbin");

    public static SearchPath of(Map<String, String> environment) {
        return new SearchPath(environment.getOrDefault("PATH", ""));
    }

    /** The same, followed by the directories where every system has its programs. */
    public SearchPath orDefault() {
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

package dev.berth.node.shim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The programs a shim is made of, by absolute path: the task's own PATH may lead anywhere. Only
 * {@code bash} runs when all is well; the others wait for a disk, where they must.
 */
public record Tools(Path bash, Path sync, Path sleep) {

    /**
     * @param searchPath directories, as in PATH
     * @throws IOException that names the program that is missing
     */
    public static Tools find(String searchPath) throws IOException {
        return new Tools(
                program("bash", searchPath),
                program("sync", searchPath),
                program("sleep", searchPath));
    }

    private static Path program(String name, String searchPath) throws IOException {
        return Stream.concat(Stream.of(searchPath.split(":", -1)), Stream.of("/usr/bin", "/bin"))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, name))
                .filter(file -> Files.isExecutable(file) && !Files.isDirectory(file))
                .findFirst()
                .orElseThrow(() -> new IOException("no program " + name + " on the PATH"));
    }
}

package dev.berth.app;

import dev.berth.server.config.Configuration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * Everything a server keeps: its own directory, and what the configuration puts elsewhere.
 *
 * @param runtime holds the tasks' folders
 */
record Home(Path root, Path runtime, Path database) {

    static Home of(Path root, Configuration config) {
        return new Home(root, config.storage().runtime(), config.storage().database());
    }

    Path tasks() {
        return runtime.resolve("tasks");
    }

    Path logs() {
        return root.resolve("logs");
    }

    /** What cards and tasks did. */
    Path history() {
        return root.resolve("history.db");
    }

    /** Where the console keeps its own. */
    Path consoleLogs() {
        return root.resolve("control").resolve("logs");
    }

    /** Makes the directory of a home's logs where it is missing. */
    static Path makeLogs(Path root) throws IOException {
        return Files.createDirectories(root.resolve("logs"), mine());
    }

    private static FileAttribute<?> mine() {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    }

    boolean keepsTasksElsewhere() {
        return !runtime.startsWith(root.toAbsolutePath().normalize());
    }

    /** Where things lie that a file system over the network would lose. */
    List<Path> directories() {
        return List.of(root, runtime, database.resolveSibling(""));
    }

    /** Makes what is missing, readable by nobody else from the first moment. */
    void create() throws IOException {
        for (var directory : directories()) {
            Files.createDirectories(directory, mine());
        }
        Files.createDirectories(tasks(), mine());
        makeLogs(root);
        Files.createDirectories(consoleLogs(), mine());
    }
}

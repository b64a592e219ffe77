package dev.berth.app;

import dev.berth.config.Configuration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * The paths of a server's files: its home directory, and the paths that the configuration moves
 * elsewhere.
 *
 * @param runtime contains the tasks' directories
 */
record HomePaths(Path root, Path runtime, Path database) {

    static HomePaths of(Path root, Configuration config) {
        return new HomePaths(root, config.storage().runtime(), config.storage().database());
    }

    Path tasks() {
        return runtime.resolve("tasks");
    }

    Path logs() {
        return root.resolve("logs");
    }

    /** The database with the history of GPUs and tasks. */
    Path history() {
        return root.resolve("history.db");
    }

    /** The directory of the console's log. */
    Path consoleLogs() {
        return root.resolve("control").resolve("logs");
    }

    /** Creates the log directory of a home if it is missing. */
    static Path createLogs(Path root) throws IOException {
        return Files.createDirectories(root.resolve("logs"), ownerOnly());
    }

    private static FileAttribute<?> ownerOnly() {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    }

    boolean keepsTasksElsewhere() {
        return !runtime.startsWith(root.toAbsolutePath().normalize());
    }

    /** Directories that must not be on a network file system, which would lose locks and writes. */
    List<Path> directories() {
        return List.of(root, runtime, database.resolveSibling(""));
    }

    /** Creates missing directories with owner-only permissions from the start. */
    void create() throws IOException {
        for (var directory : directories()) {
            Files.createDirectories(directory, ownerOnly());
        }
        Files.createDirectories(tasks(), ownerOnly());
        createLogs(root);
        Files.createDirectories(consoleLogs(), ownerOnly());
    }
}

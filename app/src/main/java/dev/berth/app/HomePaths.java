package dev.berth.app;

import dev.berth.app.recover.HomeFiles;
import dev.berth.config.Configuration;
import dev.berth.files.AtomicFile;
import dev.berth.store.HomePermissions;
import dev.berth.store.HomeRefused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The paths of a server's files: its home directory, and the paths that the configuration moves
 * elsewhere.
 *
 * @param tasks contains the tasks' directories; on a cluster all nodes share it
 * @param ownsTasks false if they belong to another user
 */
record HomePaths(Path root, Path runtime, Path database, Path tasks, boolean ownsTasks) {

    static HomePaths of(Path root, Configuration config) {
        return new HomePaths(
                root,
                config.storage().runtime(),
                config.storage().database(),
                config.tasksDirectory(),
                true);
    }

    /** The tasks' directories belong to the node. */
    static HomePaths of(SystemPaths system, Configuration config) {
        return new HomePaths(
                system.home(),
                system.runtime(),
                config.storage().database(),
                system.runtime().resolve("tasks"),
                false);
    }

    /** The files that together hold the state. */
    HomeFiles files() {
        return new HomeFiles(root, runtime, tasks, database, root.resolve("generation"));
    }

    /** The command that recovers the home after its database was lost. */
    String recovery() {
        return ownsTasks
                ? "berth recover --home " + root
                : "sudo berth recover --system --state " + root.resolveSibling("").normalize();
    }

    Path logs() {
        return root.resolve("logs");
    }

    /** The database with the history of GPUs and tasks. */
    Path history() {
        return root.resolve("history.db");
    }

    /** Cancels that the database could not take. */
    Path cancels() {
        return database.resolveSibling("cancels.pending");
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
        return ownsTasks && !runtime.startsWith(root.toAbsolutePath().normalize());
    }

    /** Directories that must not be on a network file system, which would lose locks and writes. */
    List<Path> directories() {
        return ownsTasks
                ? List.of(root, runtime, database.resolveSibling(""))
                : List.of(root, database.resolveSibling(""));
    }

    /** Nothing is created or read before this: another user may have prepared what is there. */
    void requirePrivate() throws HomeRefused {
        for (var directory : directories()) {
            HomePermissions.require(directory);
        }
        if (ownsTasks) {
            HomePermissions.require(tasks());
        }
        HomePermissions.makePrivate(root);
    }

    /** Deletes what a killed server left while it replaced a file. */
    void deleteLeftovers() throws IOException {
        var written =
                new ArrayList<>(
                        List.of(
                                root,
                                root.resolve("config"),
                                root.resolve("command"),
                                root.resolve("messages")));
        if (ownsTasks) {
            written.addAll(List.of(runtime, runtime.resolve("lib")));
        }
        for (var directory : written) {
            if (Files.isDirectory(directory)) {
                AtomicFile.deleteLeftovers(directory);
            }
        }
    }

    /** Creates missing directories with owner-only permissions from the start. */
    void create() throws IOException {
        for (var directory : directories()) {
            Files.createDirectories(directory, ownerOnly());
        }
        if (ownsTasks) {
            Files.createDirectories(tasks(), ownerOnly());
        }
        createLogs(root);
        Files.createDirectories(consoleLogs(), ownerOnly());
    }
}

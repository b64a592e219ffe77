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
 * @param ownsRuntime false if the runtime directory belongs to another user
 * @param ownsTasks false if the tasks' directories belong to another user
 */
record HomePaths(
        Path root,
        Path runtime,
        Path database,
        Path tasks,
        boolean ownsRuntime,
        boolean ownsTasks) {

    static HomePaths of(Path root, Configuration config) {
        return new HomePaths(
                root,
                config.storage().runtime(),
                config.storage().database(),
                config.tasksDirectory(),
                true,
                true);
    }

    /** The tasks' directories belong to the node, on a cluster to the server. */
    static HomePaths of(SystemPaths system, Configuration config) {
        boolean isCluster = config.slurm().isPresent();
        return new HomePaths(
                system.home(),
                system.runtime(),
                config.storage().database(),
                isCluster ? config.tasksDirectory() : system.runtime().resolve("tasks"),
                false,
                isCluster);
    }

    /** The jobs of other users do not reach into the home of the server. */
    void requireSharedTasks() throws IOException {
        if (tasks.startsWith(root)) {
            throw new IOException(
                    "engine: slurm with --system needs slurm.shared_dir: a directory outside of "
                            + root
                            + " that all nodes share and that belongs to the server's account");
        }
    }

    /** The files that together hold the state. */
    HomeFiles files() {
        return new HomeFiles(root, runtime, tasks, database, root.resolve("generation"));
    }

    /** The command that recovers the home after its database was lost. */
    String recovery() {
        return ownsRuntime
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
        return ownsRuntime && !runtime.startsWith(root.toAbsolutePath().normalize());
    }

    /** Directories that must not be on a network file system, which would lose locks and writes. */
    List<Path> directories() {
        return ownsRuntime
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
        if (ownsRuntime) {
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

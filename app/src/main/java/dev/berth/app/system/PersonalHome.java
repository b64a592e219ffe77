package dev.berth.app.system;

import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.client.ServerAddresses;
import dev.berth.files.PathPermissions;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The home whose tasks are taken over. Its owner could change its contents at any time, so root
 * reads and writes them only through programs that run as its owner.
 *
 * @param uid of the user to whom it belongs
 */
record PersonalHome(Path path, int uid, int gid) {

    static PersonalHome of(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            throw new CommandFailure(path + " is not a directory");
        }
        return new PersonalHome(
                path.toRealPath(),
                (Integer) Files.getAttribute(path, "unix:uid"),
                (Integer) Files.getAttribute(path, "unix:gid"));
    }

    boolean isMarked() throws IOException {
        return Files.exists(path.resolve(ServerAddresses.IMPORT_MARKER), LinkOption.NOFOLLOW_LINKS);
    }

    /** The kernel lists the lock that a server holds. */
    void requireNoServer() throws IOException {
        var lock = path.resolve("lock");
        if (!Files.exists(lock, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        long inode = (Long) Files.getAttribute(lock, "unix:ino", LinkOption.NOFOLLOW_LINKS);
        try (var locks = Files.lines(Path.of("/proc/locks"))) {
            if (locks.anyMatch(line -> line.contains(":" + inode + " "))) {
                throw new CommandFailure(
                        "a server runs at "
                                + path
                                + ": stop it first (berth stop --home "
                                + path
                                + ")");
            }
        }
    }

    /**
     * Copies the database and the folders of the tasks.
     *
     * @param target a directory that only root may enter
     */
    void copyTo(Path target) throws IOException {
        var pack = new ArrayList<>(asOwner());
        pack.addAll(
                List.of(
                        "tar",
                        "--create",
                        "--sparse",
                        "--ignore-failed-read",
                        "--directory",
                        path.resolve("runtime").toString(),
                        "--exclude",
                        "lib",
                        "."));
        var unpack =
                List.of(
                        "tar",
                        "--extract",
                        "--no-same-owner",
                        "--no-same-permissions",
                        "--directory",
                        target.toString());
        var processes =
                ProcessBuilder.startPipeline(
                        List.of(
                                new ProcessBuilder(pack)
                                        .redirectError(ProcessBuilder.Redirect.INHERIT),
                                new ProcessBuilder(unpack)
                                        .redirectError(ProcessBuilder.Redirect.INHERIT)));
        // Status 1 of the first: a file has changed meanwhile.
        if (waitFor(processes.getFirst()) > 1 || waitFor(processes.getLast()) != 0) {
            throw new IOException("the files of " + path + " could not be copied");
        }
        if (!Files.isRegularFile(target.resolve("tasks.db"), LinkOption.NOFOLLOW_LINKS)) {
            throw new CommandFailure(path + " has no database (runtime/tasks.db)");
        }
    }

    /** Writes the marker that its tasks were taken over. */
    void mark(String text) throws IOException {
        var command = new ArrayList<>(asOwner());
        command.addAll(
                List.of(
                        "/bin/sh",
                        "-c",
                        "umask 077; rm -f \"$1\"; cat >\"$1\"",
                        "sh",
                        path.resolve(ServerAddresses.IMPORT_MARKER).toString()));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (var in = process.getOutputStream()) {
            in.write(text.getBytes(StandardCharsets.UTF_8));
        }
        if (waitFor(process) != 0) {
            throw new IOException("the marker in " + path + " could not be written");
        }
    }

    private List<String> asOwner() throws IOException {
        return uid == PathPermissions.ofThisProcess().uid()
                ? List.of()
                : List.of(
                        "setpriv",
                        "--reuid=" + uid,
                        "--regid=" + gid,
                        "--clear-groups",
                        "--inh-caps=-all",
                        "--no-new-privs");
    }

    private static int waitFor(Process process) throws IOException {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}

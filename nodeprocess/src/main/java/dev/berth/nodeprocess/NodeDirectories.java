package dev.berth.nodeprocess;

import dev.berth.files.PathPermissions;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Objects;
import java.util.Set;

/**
 * The directories of a node that runs as root.
 *
 * @param state contains the node's directory and the server's
 * @param socket on which the node listens
 */
public record NodeDirectories(Path state, Path socket) {

    /** All users may pass, to reach the logs of their own tasks; only root may list. */
    private static final String PASSABLE = "rwx--x--x";

    private static final String PRIVATE = "rwx------";
    private static final int STICKY_GROUP_WRITE = 01775;

    Path root() {
        return state.resolve("node");
    }

    Path tasks() {
        return root().resolve("tasks");
    }

    public Path logs() {
        return root().resolve("logs");
    }

    Path journal() {
        return logs().resolve("processes.log");
    }

    /** The server's home. */
    public Path server() {
        return state.resolve("server");
    }

    /**
     * Creates what is missing. Nothing below the server's home is touched: its contents belong to
     * an account that root does not trust.
     */
    public void create(UserPrincipal serverUser, int serverGroup)
            throws IOException, InvalidNodeConfig {
        createDirectory(state, "rwxr-xr-x");
        requireOwn(state);
        createDirectory(root(), PASSABLE);
        requireOwn(root());
        createDirectory(tasks(), PASSABLE);
        createDirectory(logs(), PRIVATE);
        createDirectory(server(), PRIVATE);
        if (!Files.getOwner(server(), LinkOption.NOFOLLOW_LINKS).equals(serverUser)) {
            Files.setOwner(server(), serverUser);
        }
        createSocketDirectory(serverGroup);
    }

    /**
     * The server creates its own socket in this directory. The sticky bit keeps it from replacing
     * the node's socket before root has changed the owner of that.
     */
    private void createSocketDirectory(int serverGroup) throws IOException, InvalidNodeConfig {
        var directory = Objects.requireNonNull(socket.toAbsolutePath().getParent());
        createDirectory(directory, "rwxr-xr-x");
        requireRootOwner(directory);
        Files.setAttribute(directory, "unix:gid", serverGroup);
        Files.setAttribute(directory, "unix:mode", STICKY_GROUP_WRITE);
    }

    private static void createDirectory(Path directory, String mode) throws IOException {
        var parent = directory.toAbsolutePath().getParent();
        if (parent != null && !Files.exists(parent)) {
            createDirectory(parent, "rwxr-xr-x");
        }
        try {
            Files.createDirectory(directory);
            // The mode of a created directory is reduced by the umask.
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(mode));
        } catch (FileAlreadyExistsException existing) {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                throw existing;
            }
        }
    }

    private static void requireOwn(Path directory) throws IOException, InvalidNodeConfig {
        requireRootOwner(directory);
        var weakness = PathPermissions.ofThisProcess().weaknessOfPrivate(directory);
        if (weakness.isPresent()) {
            throw new InvalidNodeConfig(
                    "%s is not used, because another user could change it: %s."
                            .formatted(directory, weakness.get().describe()));
        }
    }

    private static void requireRootOwner(Path directory) throws IOException, InvalidNodeConfig {
        var self = Files.getOwner(Path.of("/proc/self"));
        if (!Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).equals(self)) {
            throw new InvalidNodeConfig(
                    "%s must belong to %s: chown %s '%s'"
                            .formatted(directory, self.getName(), self.getName(), directory));
        }
    }

    /** Held until the end of the process. */
    FileLock lock() throws IOException, InvalidNodeConfig {
        var file = root().resolve("lock");
        var channel =
                FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        var lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            throw new InvalidNodeConfig("Another node uses " + state + ". Stop it first.");
        }
        return lock;
    }
}

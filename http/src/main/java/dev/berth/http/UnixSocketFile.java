package dev.berth.http;

import dev.berth.files.AtomicFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/**
 * Where the Unix socket is. It is created in a private directory and moved to its final path once
 * its permissions are set, so that nobody connects before. The move also replaces a socket left by
 * a killed server.
 *
 * @param home the server's home
 * @param socket its final path: in the home itself, unless that path is too long or another one is
 *     configured
 * @param isPublic true if every user of the machine may connect; the kernel names the user
 */
public record UnixSocketFile(Path home, Path socket, boolean isPublic) {

    /** Longest path of a Unix socket in bytes; the kernel's own limit is slightly higher. */
    static final int MAX_PATH_BYTES = 100;

    private static final String NAME = "berth.sock";
    private static final Set<PosixFilePermission> OWNER_ALL =
            PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OWNER_FILE =
            PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> PUBLIC_FILE =
            PosixFilePermissions.fromString("rw-rw-rw-");
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(OWNER_ALL);

    public static UnixSocketFile prepare(Path home, Path shortRoot) throws IOException {
        var homePath = home.toAbsolutePath().normalize();
        var fits = bytes(homePath.resolve(NAME)) <= MAX_PATH_BYTES;
        var directory = fits ? homePath : shortDirectory(pathFile(homePath), shortRoot);
        return new UnixSocketFile(homePath, directory.resolve(NAME), false).prepared();
    }

    /**
     * A socket for all users of the machine.
     *
     * @param socket its path, in a directory that only the server may write and all users may enter
     */
    public static UnixSocketFile preparePublic(Path home, Path socket) throws IOException {
        var path = socket.toAbsolutePath().normalize();
        if (bytes(path) > MAX_PATH_BYTES) {
            throw new IOException(
                    "the path of the socket is longer than " + MAX_PATH_BYTES + " bytes: " + path);
        }
        var homePath = home.toAbsolutePath().normalize();
        return new UnixSocketFile(homePath, path, true).prepared();
    }

    private UnixSocketFile prepared() throws IOException {
        deletePrivateFiles();
        Files.createDirectory(privateDirectory(), PRIVATE);
        return this;
    }

    private Path directory() {
        return Objects.requireNonNull(socket.getParent());
    }

    /**
     * The private directory in which the socket is created. Its name is short, so that this path
     * never exceeds the limit when the final one does not.
     */
    public Path privateDirectory() {
        return directory().resolve(".sock");
    }

    public Path privatePath() {
        return privateDirectory().resolve("s");
    }

    /** The file that holds the socket's path if the socket is not in the home. */
    private static Path pathFile(Path home) {
        return home.resolve(NAME + ".path");
    }

    /** Moves the socket to its final path. */
    public void publish() throws IOException {
        Files.setPosixFilePermissions(privatePath(), isPublic ? PUBLIC_FILE : OWNER_FILE);
        AtomicFile.rename(privatePath(), socket());
        Files.deleteIfExists(privateDirectory());
        Files.deleteIfExists(pathFile(home));
        if (isOutsideHome()) {
            Files.createFile(pathFile(home), PosixFilePermissions.asFileAttribute(OWNER_FILE));
            Files.writeString(pathFile(home), socket() + "\n");
        }
    }

    public void remove() throws IOException {
        Files.deleteIfExists(socket());
        deletePrivateFiles();
        if (isOutsideHome()) {
            Files.deleteIfExists(pathFile(home));
            if (!isPublic) {
                Files.deleteIfExists(directory());
            }
        }
    }

    private boolean isOutsideHome() {
        return !directory().equals(home);
    }

    /**
     * The directory that an earlier server recorded, if it still belongs to us and is private;
     * otherwise a new one.
     */
    private static Path shortDirectory(Path pathFile, Path root) throws IOException {
        try {
            var recorded = Path.of(Files.readString(pathFile).strip()).getParent();
            if (recorded != null && recorded.startsWith(root) && isPrivate(recorded, pathFile)) {
                return recorded;
            }
        } catch (NoSuchFileException _) {
            // The first start of this home.
        }
        var made = Files.createTempDirectory(root, "berth-", PRIVATE);
        if (bytes(made.resolve(NAME)) > MAX_PATH_BYTES) {
            Files.delete(made);
            throw new IOException("the home's path is too long for a socket, and so is " + root);
        }
        return made;
    }

    private static boolean isPrivate(Path directory, Path ours) throws IOException {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(ours))
                && Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS)
                        .equals(OWNER_ALL);
    }

    private void deletePrivateFiles() throws IOException {
        Files.deleteIfExists(privatePath());
        Files.deleteIfExists(privateDirectory());
    }

    private static int bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }
}

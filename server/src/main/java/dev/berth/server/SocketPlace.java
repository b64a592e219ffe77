package dev.berth.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Where the socket lies. It is made inside a directory that nobody else may enter and moved to its
 * place when it is private, so that there is no moment at which another user could connect, and a
 * socket that a killed server left behind is replaced at once.
 *
 * @param home what the socket leads to
 * @param directory what it lies in: the home itself, unless its path is too long
 */
record SocketPlace(Path home, Path directory) {

    /** What a Unix socket's path may have in bytes; the kernel's own limit is a little higher. */
    static final int LONGEST = 100;

    private static final String NAME = "berth.sock";
    private static final Set<PosixFilePermission> OWNER_ALL =
            PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OWNER_FILE =
            PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(OWNER_ALL);

    static SocketPlace prepare(Path home, Path shortRoot) throws IOException {
        var own = home.toAbsolutePath().normalize();
        var fits = bytes(own.resolve(NAME)) <= LONGEST;
        var place = new SocketPlace(own, fits ? own : shortDirectory(note(own), shortRoot));
        place.clear();
        Files.createDirectory(place.nursery(), PRIVATE);
        return place;
    }

    /** Where callers find it. */
    Path socket() {
        return directory.resolve(NAME);
    }

    /**
     * The private directory it is made in; its name is short, so that this path is never the one
     * too long.
     */
    Path nursery() {
        return directory.resolve(".sock");
    }

    Path made() {
        return nursery().resolve("s");
    }

    /** Names the socket, where that is not in the home itself. */
    private static Path note(Path home) {
        return home.resolve(NAME + ".path");
    }

    /** Gives the socket to callers. */
    void publish() throws IOException {
        Files.setPosixFilePermissions(made(), OWNER_FILE);
        Files.move(made(), socket(), StandardCopyOption.ATOMIC_MOVE);
        Files.deleteIfExists(nursery());
        Files.deleteIfExists(note(home));
        if (isElsewhere()) {
            Files.createFile(note(home), PosixFilePermissions.asFileAttribute(OWNER_FILE));
            Files.writeString(note(home), socket() + "\n");
        }
    }

    void withdraw() throws IOException {
        Files.deleteIfExists(socket());
        clear();
        if (isElsewhere()) {
            Files.deleteIfExists(note(home));
            Files.deleteIfExists(directory);
        }
    }

    private boolean isElsewhere() {
        return !directory.equals(home);
    }

    /** The directory that an earlier server noted, if it is still ours alone, or a new one. */
    private static Path shortDirectory(Path note, Path root) throws IOException {
        try {
            var noted = Path.of(Files.readString(note).strip()).getParent();
            if (noted != null && noted.startsWith(root) && isPrivate(noted, note)) {
                return noted;
            }
        } catch (NoSuchFileException _) {
            // The first start of this home.
        }
        var made = Files.createTempDirectory(root, "berth-", PRIVATE);
        if (bytes(made.resolve(NAME)) > LONGEST) {
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

    private void clear() throws IOException {
        Files.deleteIfExists(made());
        Files.deleteIfExists(nursery());
    }

    private static int bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }
}

package dev.berth.store;

import dev.berth.files.PathPermissions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/**
 * A home must belong to the server's user, and no other user may write to it or to a directory
 * above it: who can replace a script or the database there runs programs as the server's user.
 */
public final class HomePermissions {

    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    /** What a home contains, or is given before its first start. */
    private static final List<String> OWN_ENTRIES =
            List.of("lock", "config", "config.yaml", "command", "runtime");

    private HomePermissions() {}

    /**
     * @param directory may be missing; then only the directories above it are examined
     */
    public static void require(Path directory) throws HomeRefused {
        try {
            var user = PathPermissions.ofThisProcess();
            var weakness = user.weaknessOfPrivate(directory);
            if (weakness.isPresent()) {
                throw refused(directory, user, weakness.get());
            }
            if (Files.isDirectory(directory)) {
                requireOwner(directory, user);
            }
        } catch (IOException e) {
            throw new HomeRefused(
                    "The directory %s cannot be used: its permissions cannot be read: %s"
                            .formatted(directory, e),
                    e);
        }
    }

    private static HomeRefused refused(
            Path directory, PathPermissions user, PathPermissions.Weakness weakness) {
        var remedy =
                weakness.remedy(user.userName())
                        .map(command -> ", or, if no other user needs it, run: " + command)
                        .orElse("");
        return new HomeRefused(
                "The directory %s cannot be used: %s, so another user could change what Berth runs as %s. Choose another home with --home%s"
                        .formatted(directory, weakness.describe(), user.userName(), remedy));
    }

    /** A directory above may be root's, the home itself may not. */
    private static void requireOwner(Path directory, PathPermissions user)
            throws HomeRefused, IOException {
        int owner = (Integer) Files.getAttribute(directory, "unix:uid");
        if (owner != user.uid()) {
            throw new HomeRefused(
                    ("The directory %s cannot be used: it belongs to %s, and the server runs as %s."
                                    + " Start the server as its owner, choose another home with"
                                    + " --home, or run: chown -R %s '%s'")
                            .formatted(
                                    directory,
                                    Files.getOwner(directory).getName(),
                                    user.userName(),
                                    user.userName(),
                                    directory));
        }
    }

    /**
     * Takes all permissions of other users from a home. Earlier versions accepted a home that
     * others could read.
     *
     * @throws HomeRefused also if this directory is in use for something else: its permissions are
     *     not Berth's to change
     */
    public static void makePrivate(Path home) throws HomeRefused {
        try {
            if (!Files.isDirectory(home)
                    || Files.getPosixFilePermissions(home).equals(OWNER_ONLY)) {
                return;
            }
            if (!isEmpty(home) && OWN_ENTRIES.stream().noneMatch(name -> has(home, name))) {
                throw new HomeRefused(
                        ("The directory %s cannot be used: it contains files that are not Berth's,"
                                        + " and other users can read it. Choose a new directory"
                                        + " with --home, or give it mode 0700.")
                                .formatted(home));
            }
            Files.setPosixFilePermissions(home, OWNER_ONLY);
        } catch (IOException e) {
            throw new HomeRefused(
                    ("The directory %s can be read by other users, and this cannot be changed: %s."
                                    + " Run: chmod 700 '%s'")
                            .formatted(home, e, home),
                    e);
        }
    }

    private static boolean has(Path home, String name) {
        var entry = home.resolve(name);
        return Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)
                || (!name.equals("lock") && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS));
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (var entries = Files.list(directory)) {
            return entries.findAny().isEmpty();
        }
    }
}

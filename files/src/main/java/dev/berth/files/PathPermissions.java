package dev.berth.files;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Finds out whether another user could change or replace a file. This depends on the owner and the
 * permissions of the file, of every directory above it, and of every symbolic link on the way.
 *
 * @param uid the user of this process; root is trusted besides
 * @param userName the name of this user
 * @param groups the members of groups
 * @param unmappedOwner the owner that the kernel shows for users outside of this user namespace;
 *     empty outside of a namespace
 */
public record PathPermissions(
        int uid, String userName, GroupMembers groups, Optional<Integer> unmappedOwner) {

    private static final int ROOT = 0;
    private static final int MAX_LINKS = 40;
    private static final int GROUP_WRITE = 0020;
    private static final int OTHERS_WRITE = 0002;
    private static final int STICKY = 01000;

    public static PathPermissions ofThisProcess() throws IOException {
        // Its owner is the effective user of this process.
        var self = Path.of("/proc/self");
        int uid = (Integer) Files.getAttribute(self, "unix:uid");
        return new PathPermissions(
                uid,
                Files.getOwner(self).getName(),
                GroupMembers.read(Path.of("/etc/group")),
                UserNamespace.unmappedOwner());
    }

    /** A file or directory through which another user could change the examined path. */
    public record Weakness(Path path, String owner, int mode, boolean hasOtherOwner) {

        /** The facts, for example {@code /data belongs to bob and has mode 0755}. */
        public String describe() {
            return "%s belongs to %s and has mode %04o".formatted(path, owner, mode);
        }

        /** The command that mends it; none for a directory that is meant for all users. */
        public Optional<String> remedy(String userName) {
            if (hasOtherOwner) {
                return Optional.of("chown " + userName + " '" + path + "'");
            }
            return (mode & STICKY) == 0
                    ? Optional.of("chmod go-w '" + path + "'")
                    : Optional.empty();
        }
    }

    private record Entry(Path path, int owner, int mode, PosixFileAttributes attributes) {
        static Entry of(Path path) throws IOException {
            return new Entry(
                    path,
                    (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS),
                    (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS),
                    Files.readAttributes(
                            path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
        }

        private boolean has(int bits) {
            return (mode & bits) != 0;
        }
    }

    /**
     * Examines the path and everything above it, as far as it exists.
     *
     * @throws IOException the path cannot be examined
     */
    public Optional<Weakness> weaknessOf(Path path) throws IOException {
        var found = new Walk();
        found.follow(path.toAbsolutePath());
        return found.weakness;
    }

    /**
     * The same for a directory whose entries another user must not add to either: there the sticky
     * bit does not suffice.
     */
    public Optional<Weakness> weaknessOfPrivate(Path directory) throws IOException {
        var weakness = weaknessOf(directory);
        if (weakness.isPresent() || !Files.exists(directory)) {
            return weakness;
        }
        var entry = Entry.of(directory.toRealPath());
        return isWritable(entry) ? Optional.of(weakness(entry)) : Optional.empty();
    }

    /** Resolves a path as the kernel does, and stops at the first weakness. */
    private final class Walk {
        private Optional<Weakness> weakness = Optional.empty();
        private Path reached = Path.of("/");
        private int links;

        /** Returns false if there is nothing more to examine. */
        private boolean follow(Path path) throws IOException {
            if (path.isAbsolute()) {
                reached = Path.of("/");
                if (!examine(Entry.of(reached))) {
                    return false;
                }
            }
            for (var name : path) {
                if (!enter(name)) {
                    return false;
                }
            }
            return true;
        }

        private boolean enter(Path name) throws IOException {
            if (name.toString().equals("..")) {
                reached = Optional.ofNullable(reached.getParent()).orElse(reached);
                return true;
            }
            var next = reached.resolve(name).normalize();
            Entry entry;
            try {
                entry = Entry.of(next);
            } catch (NoSuchFileException _) {
                return false;
            }
            if (!examine(entry)) {
                return false;
            }
            if (!entry.attributes().isSymbolicLink()) {
                reached = next;
                return true;
            }
            links++;
            if (links > MAX_LINKS) {
                throw new FileSystemLoopException(next.toString());
            }
            return follow(Files.readSymbolicLink(next));
        }

        private boolean examine(Entry entry) {
            weakness = PathPermissions.this.weaknessOf(entry);
            return weakness.isEmpty();
        }
    }

    private Optional<Weakness> weaknessOf(Entry entry) {
        // A link's mode has no meaning. In a sticky directory only the owner of an entry can
        // replace it, and each entry is examined by itself.
        var isReplaceable =
                !entry.attributes().isSymbolicLink()
                        && !(entry.attributes().isDirectory() && entry.has(STICKY))
                        && isWritable(entry);
        return isReplaceable || !isTrusted(entry.owner())
                ? Optional.of(weakness(entry))
                : Optional.empty();
    }

    private Weakness weakness(Entry entry) {
        return new Weakness(
                entry.path(),
                entry.attributes().owner().getName(),
                entry.mode() & 07777,
                !isTrusted(entry.owner()));
    }

    private boolean isWritable(Entry entry) {
        return entry.has(OTHERS_WRITE) || (entry.has(GROUP_WRITE) && !isPrivateGroup(entry));
    }

    private boolean isTrusted(int owner) {
        return owner == uid
                || owner == ROOT
                || unmappedOwner.stream().anyMatch(unmapped -> unmapped == owner);
    }

    /** Many systems give each user a group of the same name without other members. */
    private boolean isPrivateGroup(Entry entry) {
        var group = entry.attributes().group().getName();
        // One of them may be the other: Set.of would refuse duplicates.
        var trusted = new TreeSet<>(List.of(userName, "root"));
        return trusted.contains(group) && groups.hasOnly(group, trusted);
    }
}

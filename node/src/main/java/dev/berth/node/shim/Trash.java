package dev.berth.node.shim;

import dev.berth.files.AtomicFile;
import dev.berth.node.linux.PosixAcl;
import dev.berth.node.linux.RegularFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The directory {@code tasks/.trash}. A rename takes a task's directory out of use at once, however
 * large it is. Its files are deleted later, if need be by the next server.
 */
final class Trash {

    private static final Logger log = LoggerFactory.getLogger(Trash.class);

    /** Deeper directories are moved up, so that no path gets too long for the kernel. */
    private static final int MAX_DEPTH = 32;

    /** Ends the name of an entry whose files have another name that stays. */
    private static final String LINKS = ".links";

    /** Added to the depth in such an entry. */
    private static final int SHARED_DEPTH = 1000;

    private static final String LOG = "tmux.log";

    private final Path tasks;
    private final Path directory;
    private final AtomicLong lastName = new AtomicLong(System.currentTimeMillis());

    Trash(Path tasks) {
        this.tasks = tasks;
        this.directory = tasks.resolve(".trash");
    }

    /** An unused path. */
    private Path newEntry(String suffix) throws IOException {
        AtomicFile.createDirectory(directory);
        var entry = directory.resolve(lastName.incrementAndGet() + suffix);
        return Files.exists(entry, LinkOption.NOFOLLOW_LINKS) ? newEntry(suffix) : entry;
    }

    /** False if there is no such directory. */
    boolean take(Path taskDirectory) throws IOException {
        return take(taskDirectory, "");
    }

    /** The same for a directory whose files have another name that stays. */
    boolean takeLinks(Path folded) throws IOException {
        return take(folded, LINKS);
    }

    private boolean take(Path taskDirectory, String suffix) throws IOException {
        try {
            Files.move(taskDirectory, newEntry(suffix));
            return true;
        } catch (NoSuchFileException none) {
            return false;
        }
    }

    /** After a power failure the moved directories are still moved. */
    void sync() throws IOException {
        for (var changed : new Path[] {tasks, directory}) {
            try (var entries = FileChannel.open(changed, StandardOpenOption.READ)) {
                entries.force(true);
            } catch (NoSuchFileException none) {
                log.debug("{} does not exist yet", changed);
            }
        }
    }

    /**
     * Deletes all entries. What cannot be deleted is left to the next server.
     *
     * @param isStopped asked between two files
     */
    void empty(BooleanSupplier isStopped) {
        boolean hasDeleted = true;
        while (hasDeleted && !isStopped.getAsBoolean()) {
            hasDeleted = deleteEntries(isStopped);
        }
    }

    private boolean deleteEntries(BooleanSupplier isStopped) {
        boolean hasDeleted = false;
        try (var entries = Files.newDirectoryStream(directory)) {
            for (var entry : entries) {
                if (isStopped.getAsBoolean()) {
                    return hasDeleted;
                }
                hasDeleted |= deleteEntry(entry, isStopped);
            }
        } catch (NoSuchFileException none) {
            return false;
        } catch (IOException | RuntimeException failure) {
            log.warn("{} cannot be read: {}", directory, failure.toString());
        }
        return hasDeleted;
    }

    private boolean deleteEntry(Path entry, BooleanSupplier isStopped) {
        try {
            boolean isShared = entry.getFileName().toString().endsWith(LINKS);
            return delete(entry, isShared ? SHARED_DEPTH : 0, isStopped);
        } catch (IOException | RuntimeException failure) {
            log.warn("{} cannot be deleted: {}", entry, failure.toString());
            return false;
        }
    }

    /**
     * Links are deleted, not followed.
     *
     * @return false if it was stopped
     */
    private boolean delete(Path path, int depth, BooleanSupplier isStopped) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) && mayEnter(path)) {
            if (depth % SHARED_DEPTH > MAX_DEPTH) {
                Files.move(path, newEntry(""));
                return true;
            }
            try (var children = children(path)) {
                for (var child : children) {
                    if (isStopped.getAsBoolean() || !delete(child, depth + 1, isStopped)) {
                        return false;
                    }
                }
            }
        }
        if (depth < SHARED_DEPTH && path.getFileName().toString().equals(LOG)) {
            closeLog(path);
        }
        Files.deleteIfExists(path);
        return true;
    }

    /**
     * The owner of a task can write its log, and so can give it a further name, which outlives the
     * deletion. It must not keep what was deleted, nor grow outside the owner's quota.
     */
    private static void closeLog(Path log) throws IOException {
        if (PosixAcl.read(log).isPresent()) {
            // The mode is the mask of the list: the owner loses its right.
            Files.setPosixFilePermissions(log, PosixFilePermissions.fromString("rw-------"));
            try (var file = RegularFile.openForWriting(log)) {
                file.truncate();
            }
        }
    }

    /**
     * A directory of another user may become a link to one of ours at any moment, and nothing in it
     * can be deleted. Root enters all: nobody else writes in the directories of its tasks.
     */
    private boolean mayEnter(Path path) throws IOException {
        var self = owner(directory);
        return self.equals(0) || owner(path).equals(self);
    }

    private static Object owner(Path path) throws IOException {
        return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * A task may have taken the permissions from its own directories. Its owner may have rights
     * here, and must not change entries from now on.
     */
    private static DirectoryStream<Path> children(Path path) throws IOException {
        var mode = Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
        var all = PosixFilePermissions.fromString("rwx------");
        if (!mode.equals(all)) {
            try {
                Files.setPosixFilePermissions(path, all);
            } catch (AccessDeniedException notOurs) {
                log.debug("the permissions of {} cannot be changed", path);
            }
        }
        return Files.newDirectoryStream(path);
    }
}

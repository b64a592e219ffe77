package dev.berth.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads and replaces files as a whole: no reader ever sees an incomplete file. */
public final class AtomicFile {

    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rw-------");

    private static final Pattern LEFTOVER = Pattern.compile("\\..+[0-9]{5,}\\.(tmp|new)");

    private AtomicFile() {}

    /** The file exceeds the limit. */
    public static final class FileTooLargeException extends IOException {
        private static final long serialVersionUID = 1;

        FileTooLargeException(Path file) {
            super(file.getFileName() + " is too large");
        }
    }

    /**
     * @throws FileTooLargeException the file exceeds the limit; nothing is read beyond it
     */
    public static byte[] read(Path file, int limit) throws IOException {
        if (Files.size(file) > limit) {
            throw new FileTooLargeException(file);
        }
        try (var in = Files.newInputStream(file)) {
            var bytes = in.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw new FileTooLargeException(file);
            }
            return bytes;
        }
    }

    /**
     * How a file is replaced. A process that is killed always leaves the old or the new content.
     *
     * @param temporary name of the file that is written first; empty for a random name. A fixed
     *     name is for a single writer: what a crash left under this name is deleted
     * @param permissions of a new file
     * @param keepsPermissions true if those of an existing file are kept
     * @param isDurable true if this also holds after a power failure
     */
    public record Options(
            Optional<String> temporary,
            Set<PosixFilePermission> permissions,
            boolean keepsPermissions,
            boolean isDurable) {

        public static final Options DURABLE = new Options(Optional.empty(), OWNER_ONLY, true, true);

        /** For an executable that several processes may write. */
        public static final Options EXECUTABLE =
                new Options(
                        Optional.empty(),
                        PosixFilePermissions.fromString("rwx------"),
                        false,
                        false);

        public static Options unsynced(String temporary) {
            return new Options(Optional.of(temporary), OWNER_ONLY, false, false);
        }
    }

    /** A complete temporary file. Closing deletes it, unless it has replaced the file. */
    public static final class Draft implements AutoCloseable {
        private final Path file;
        private final Path temporary;
        private final boolean isDurable;

        private Draft(Path file, Path temporary, boolean isDurable) {
            this.file = file;
            this.temporary = temporary;
            this.isDurable = isDurable;
        }

        /** Replaces the file. */
        public void commit() throws IOException {
            if (isDurable) {
                renameDurably(temporary, file);
            } else {
                rename(temporary, file);
            }
        }

        @Override
        public void close() throws IOException {
            Files.deleteIfExists(temporary);
        }
    }

    public static void replace(Path file, byte[] bytes) throws IOException {
        replace(file, bytes, Options.DURABLE);
    }

    public static void replace(Path file, byte[] bytes, Options options) throws IOException {
        try (var draft = draft(file, bytes, options)) {
            draft.commit();
        }
    }

    /** Writes the new content beside the file. A full disk or a missing permission fails here. */
    public static Draft draft(Path file, byte[] bytes, Options options) throws IOException {
        var temporary = createTemporary(file, options);
        try {
            try (var out = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                write(out, bytes, options.isDurable());
            }
            if (options.keepsPermissions() && Files.exists(file)) {
                Files.setPosixFilePermissions(temporary, Files.getPosixFilePermissions(file));
            }
            return new Draft(file, temporary, options.isDurable());
        } catch (IOException failure) {
            Files.deleteIfExists(temporary);
            throw failure;
        }
    }

    private static Path createTemporary(Path file, Options options) throws IOException {
        var directory = directory(file);
        var mode = PosixFilePermissions.asFileAttribute(options.permissions());
        if (options.temporary().isEmpty()) {
            return Files.createTempFile(directory, "." + file.getFileName() + ".", ".tmp", mode);
        }
        var temporary = directory.resolve(options.temporary().get());
        // Deleted and created: a link that another program put there is not followed.
        Files.deleteIfExists(temporary);
        return Files.createFile(temporary, mode);
    }

    /**
     * Deletes temporary files with random names that a killed process left in this directory, also
     * those of version 0.1.0. No other process may be replacing files there.
     */
    public static void deleteLeftovers(Path directory) throws IOException {
        try (var entries = Files.newDirectoryStream(directory, AtomicFile::isLeftover)) {
            for (var left : entries) {
                Files.delete(left);
            }
        }
    }

    private static boolean isLeftover(Path file) {
        return LEFTOVER.matcher(String.valueOf(file.getFileName())).matches()
                && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Creates a file with exactly these permissions, for a caller that renames or exchanges it
     * itself.
     */
    public static void create(
            Path file, byte[] bytes, Set<PosixFilePermission> permissions, boolean isDurable)
            throws IOException {
        try (var out =
                FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(permissions))) {
            write(out, bytes, isDurable);
        } catch (FileAlreadyExistsException existing) {
            throw existing;
        } catch (IOException full) {
            Files.deleteIfExists(file);
            throw full;
        }
        // The umask may have removed some of them.
        Files.setPosixFilePermissions(file, permissions);
    }

    private static void write(FileChannel out, byte[] bytes, boolean isDurable) throws IOException {
        var buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            out.write(buffer);
        }
        if (isDurable) {
            out.force(true);
        }
    }

    /** Replaces a symbolic link: it always leads to the old target or to the new one. */
    public static void replaceLink(Path link, Path target, String temporary) throws IOException {
        var fresh = link.resolveSibling(temporary);
        Files.deleteIfExists(fresh);
        Files.createSymbolicLink(fresh, target);
        rename(fresh, link);
    }

    /** Gives a complete file its name, and replaces a file that has this name. */
    public static void rename(Path complete, Path file) throws IOException {
        Files.move(complete, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The new name survives a power failure. */
    public static void renameDurably(Path complete, Path file) throws IOException {
        rename(complete, file);
        try (var entries = FileChannel.open(directory(file), StandardOpenOption.READ)) {
            // Without it, a power failure may bring back the old directory entry.
            entries.force(true);
        }
    }

    /** Creates an empty file; fails if the name is taken. */
    public static void createEmpty(Path file) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    }

    /**
     * @throws NotDirectoryException the name is taken by something else
     */
    public static void createDirectory(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        try {
            Files.createDirectories(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            throw new NotDirectoryException(e.getMessage());
        }
    }

    private static Path directory(Path file) throws IOException {
        var directory = file.getParent();
        if (directory == null) {
            throw new IOException(file + " lies in no directory");
        }
        return directory;
    }
}

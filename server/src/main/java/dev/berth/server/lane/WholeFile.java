package dev.berth.server.lane;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that are read and replaced as a whole: nobody ever sees half of one. */
public final class WholeFile {

    private static final Set<PosixFilePermission> MINE =
            PosixFilePermissions.fromString("rw-------");

    private WholeFile() {}

    /** Larger than is ever read. */
    public static final class TooLarge extends IOException {
        private static final long serialVersionUID = 1;

        TooLarge(Path file) {
            super(file.getFileName() + " is too large");
        }
    }

    /**
     * @throws TooLarge before anything of it was read
     */
    public static byte[] read(Path file, int limit) throws IOException {
        if (Files.size(file) > limit) {
            throw new TooLarge(file);
        }
        try (var in = Files.newInputStream(file)) {
            var bytes = in.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw new TooLarge(file);
            }
            return bytes;
        }
    }

    /** Also after a crash the file is the old one or the new one. */
    public static void replace(Path file, byte[] bytes) throws IOException {
        var directory = directory(file);
        var fresh =
                Files.createTempFile(
                        directory,
                        "." + file.getFileName() + ".",
                        ".tmp",
                        PosixFilePermissions.asFileAttribute(MINE));
        try {
            try (var out = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                var buffer = ByteBuffer.wrap(bytes);
                while (buffer.hasRemaining()) {
                    out.write(buffer);
                }
                out.force(true);
            }
            if (Files.exists(file)) {
                // Whoever could read the old one still can.
                Files.setPosixFilePermissions(fresh, Files.getPosixFilePermissions(file));
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
        try (var entries = FileChannel.open(directory, StandardOpenOption.READ)) {
            entries.force(true);
        }
    }

    /** Makes the file, empty, unless something of that name is there. */
    static void claim(Path file) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(MINE));
    }

    /**
     * @throws NotDirectoryException something else of that name is there
     */
    public static void makeDirectory(Path directory) throws IOException {
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

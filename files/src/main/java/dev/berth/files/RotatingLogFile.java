package dev.berth.files;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A text file that is renamed to {@code .1}, {@code .2}, … before it grows too large; the oldest
 * are deleted. The newest always has the plain name. Thread-safe; a line is never split between two
 * files.
 */
public final class RotatingLogFile implements Closeable {

    private final Path file;
    private final long maxBytes;
    private final int maxFiles;
    private OutputStream out;
    private long size;

    /**
     * Appends to an existing file.
     *
     * @param mostBytes limit of one file; a longer line gets its own file
     * @param kept maximum number of files, including the newest
     */
    public RotatingLogFile(Path file, long mostBytes, int kept) throws IOException {
        if (mostBytes < 1 || kept < 1) {
            throw new IllegalArgumentException("at least one byte in one file is kept");
        }
        this.file = file;
        this.maxBytes = mostBytes;
        this.maxFiles = kept;
        this.out = open(file);
        this.size = Files.size(file);
    }

    private static OutputStream open(Path file) throws IOException {
        if (!Files.exists(file)) {
            var ownerOnly =
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------"));
            Files.newByteChannel(
                            file,
                            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                            ownerOnly)
                    .close();
        }
        return Files.newOutputStream(file, StandardOpenOption.APPEND);
    }

    /** Adds one line and its line end. */
    public void append(String line) throws IOException {
        write(line + "\n");
    }

    /**
     * Adds lines that belong together, each with its line end.
     *
     * @throws IOException the lines could not be written, or the files could not be renamed and the
     *     lines are in the current file
     */
    public synchronized void write(String lines) throws IOException {
        var bytes = lines.getBytes(StandardCharsets.UTF_8);
        if (size == 0 || size + bytes.length <= maxBytes) {
            writeBytes(bytes);
            return;
        }
        try {
            rotate();
        } finally {
            writeBytes(bytes);
        }
    }

    private void writeBytes(byte[] bytes) throws IOException {
        out.write(bytes);
        size += bytes.length;
    }

    private void rotate() throws IOException {
        out.close();
        try {
            if (maxFiles == 1) {
                Files.delete(file);
            }
            for (int age = maxFiles - 1; age > 0; age--) {
                var younger = rotatedName(age - 1);
                if (Files.exists(younger)) {
                    AtomicFile.rename(younger, rotatedName(age));
                }
            }
        } finally {
            // Even if renaming failed, there must be a file to write to.
            out = open(file);
            size = Files.size(file);
        }
    }

    private Path rotatedName(int age) {
        return age == 0 ? file : file.resolveSibling(file.getFileName() + "." + age);
    }

    @Override
    public synchronized void close() throws IOException {
        out.close();
    }
}

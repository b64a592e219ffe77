package dev.berth.server.log;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A text file that is moved aside to {@code .1}, {@code .2}, … before it grows too large; the
 * oldest go. The newest always has the plain name. Any thread may write; a line is never torn nor
 * in two files.
 */
public final class RotatingText implements Closeable {

    private final Path file;
    private final long mostBytes;
    private final int kept;
    private OutputStream out;
    private long size;

    /**
     * Goes on after what is in the file.
     *
     * @param mostBytes of one file; a single longer line has a file of its own
     * @param kept files at most, the newest included
     */
    public RotatingText(Path file, long mostBytes, int kept) throws IOException {
        if (mostBytes < 1 || kept < 1) {
            throw new IllegalArgumentException("at least one byte in one file is kept");
        }
        this.file = file;
        this.mostBytes = mostBytes;
        this.kept = kept;
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

    /** One line, which is ended here. */
    public void append(String line) throws IOException {
        write(line + "\n");
    }

    /**
     * Lines that belong together, each ended.
     *
     * @throws IOException the files could not be moved, and the lines are in the file as it is; or
     *     they could not be written
     */
    public synchronized void write(String lines) throws IOException {
        var bytes = lines.getBytes(StandardCharsets.UTF_8);
        if (size == 0 || size + bytes.length <= mostBytes) {
            add(bytes);
            return;
        }
        try {
            moveAside();
        } finally {
            add(bytes);
        }
    }

    private void add(byte[] bytes) throws IOException {
        out.write(bytes);
        size += bytes.length;
    }

    private void moveAside() throws IOException {
        out.close();
        try {
            if (kept == 1) {
                Files.delete(file);
            }
            for (int age = kept - 1; age > 0; age--) {
                var younger = aged(age - 1);
                if (Files.exists(younger)) {
                    Files.move(younger, aged(age), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } finally {
            // Whatever became of the others, there is a file to write to.
            out = open(file);
            size = Files.size(file);
        }
    }

    private Path aged(int age) {
        return age == 0 ? file : file.resolveSibling(file.getFileName() + "." + age);
    }

    @Override
    public synchronized void close() throws IOException {
        out.close();
    }
}

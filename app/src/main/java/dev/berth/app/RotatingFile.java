package dev.berth.app;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.logging.ErrorManager;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/**
 * A log file that is moved aside to {@code .1}, {@code .2}, … before it grows too large; the oldest
 * go. Java's own handler cannot leave the newest file under its plain name.
 */
final class RotatingFile extends Handler {

    private final Path file;
    private final long mostBytes;
    private final int kept;
    private OutputStream out;
    private long size;

    /**
     * @param kept files at most, the newest included
     */
    RotatingFile(Path file, long mostBytes, int kept) throws IOException {
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

    @Override
    public synchronized void publish(LogRecord entry) {
        if (!isLoggable(entry)) {
            return;
        }
        try {
            var line = getFormatter().format(entry).getBytes(StandardCharsets.UTF_8);
            if (size > 0 && size + line.length > mostBytes) {
                rotate();
            }
            out.write(line);
            size += line.length;
        } catch (IOException full) {
            // A log that cannot be written must not stop what it tells of; stderr still gets the
            // line.
            reportError("the log cannot be written", full, ErrorManager.WRITE_FAILURE);
        }
    }

    private void rotate() throws IOException {
        out.close();
        for (int age = kept - 1; age > 0; age--) {
            var younger = aged(age - 1);
            if (Files.exists(younger)) {
                Files.move(younger, aged(age), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        out = open(file);
        size = 0;
    }

    private Path aged(int age) {
        return age == 0 ? file : file.resolveSibling(file.getFileName() + "." + age);
    }

    @Override
    public synchronized void flush() {
        // Every line is written at once.
    }

    @Override
    public synchronized void close() {
        try {
            out.close();
        } catch (IOException failure) {
            reportError("the log cannot be closed", failure, ErrorManager.CLOSE_FAILURE);
        }
    }
}

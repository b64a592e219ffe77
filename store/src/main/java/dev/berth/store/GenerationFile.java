package dev.berth.store;

import dev.berth.files.AtomicFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The file {@code HOME/generation}. It is written in place after each commit and not synced: a
 * killed server leaves the last line, and a power failure leaves the same or an older one. So the
 * file is never ahead of an intact database.
 */
public final class GenerationFile implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(GenerationFile.class);
    private static final int MAX_BYTES = 4096;

    private final Path path;
    private FileChannel channel;
    private FileIdentity identity;
    private Generation last;
    private boolean isFailing;

    private GenerationFile(Path path, Generation first) throws IOException {
        this.path = path;
        this.last = first;
        AtomicFile.replace(path, Generation.line(first));
        this.channel = FileChannel.open(path, StandardOpenOption.WRITE);
        this.identity = FileIdentity.of(path);
    }

    /** What a reader finds. */
    public sealed interface Found {
        record Absent() implements Found {}

        /** It has no valid line. */
        record Damaged() implements Found {}

        record Valid(Generation value) implements Found {}

        default Optional<Generation> generation() {
            return this instanceof Valid(var valid) ? Optional.of(valid) : Optional.empty();
        }
    }

    public static Found read(Path path) throws IOException {
        try (var in = Files.newInputStream(path)) {
            return Generation.parse(in.readNBytes(MAX_BYTES))
                    .<Found>map(Found.Valid::new)
                    .orElseGet(Found.Damaged::new);
        } catch (NoSuchFileException absent) {
            return new Found.Absent();
        }
    }

    /** Replaces the file and keeps it open. Both survive a power failure. */
    public static GenerationFile open(Path path, Generation first) throws IOException {
        return new GenerationFile(path, first);
    }

    /** A failure is logged once and does not fail the commit, which is durable already. */
    synchronized void write(Generation next) {
        last = next;
        try {
            writeLine();
            isFailing = false;
        } catch (IOException e) {
            if (!isFailing) {
                LOG.warn("{} cannot be written: {}", path, e.toString());
            }
            isFailing = true;
        }
    }

    private void writeLine() throws IOException {
        var line = ByteBuffer.wrap(Generation.line(last));
        while (line.hasRemaining()) {
            channel.write(line, line.position());
        }
    }

    /** Writes the file again if it was removed or replaced. */
    public synchronized void restoreIfRemoved() {
        if (identity.isAt(path)) {
            return;
        }
        try {
            AtomicFile.replace(path, Generation.line(last));
            channel.close();
            channel = FileChannel.open(path, StandardOpenOption.WRITE);
            identity = FileIdentity.of(path);
            LOG.warn("{} was removed or replaced; it is written again", path);
        } catch (IOException e) {
            if (!isFailing) {
                LOG.warn("{} was removed and cannot be written again: {}", path, e.toString());
            }
            isFailing = true;
        }
    }

    @Override
    public synchronized void close() throws IOException {
        try (var closing = channel) {
            closing.force(true);
        }
    }
}

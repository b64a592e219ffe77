package dev.berth.slurm;

import dev.berth.core.id.AttemptId;
import dev.berth.node.linux.RegularFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The directory with the marks of GPUs. Where jobs belong to owners, all of them write in it. */
final class GpuMarks {

    private static final Logger log = LoggerFactory.getLogger(GpuMarks.class);

    private static final int MAX_BYTES = 64;

    /** Every user creates marks here, and removes only their own. */
    private static final int OPEN_MODE = 01733;

    private final Path directory;
    private final InstantSource clock;

    /** Those that were not held at the last look. */
    private SortedMap<Path, String> lastOver = new TreeMap<>();

    private GpuMarks(Path directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * @param tasks the directory of task directories
     */
    static GpuMarks create(Path tasks, InstantSource clock) throws IOException {
        return new GpuMarks(Files.createDirectories(tasks.resolve(".gpus")), clock);
    }

    Path directory() {
        return directory;
    }

    void openForAll() throws IOException {
        Files.setAttribute(directory, "unix:mode", OPEN_MODE);
    }

    /** Removes the marks that were not held at this look and at the last one. */
    void release(Predicate<GpuMark> isHeld) throws IOException {
        var over = new TreeMap<Path, String>();
        try (var files = Files.newDirectoryStream(directory)) {
            for (var file : files) {
                var text = text(file);
                if (text.isPresent() && isOver(file, text.get(), isHeld)) {
                    over.put(file, text.get());
                }
            }
        }
        for (var entry : over.entrySet()) {
            // The shim removes it as its last act; the next attempt may put its own mark there.
            if (entry.getValue().equals(lastOver.get(entry.getKey()))) {
                delete(entry.getKey());
            }
        }
        lastOver = over;
    }

    /** A user may have put anything there. */
    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException failure) {
            log.warn("the mark {} cannot be removed: {}", file, failure.toString());
        }
    }

    private static Optional<String> text(Path file) {
        try {
            var bytes = RegularFile.readStart(file, MAX_BYTES);
            return Optional.of(new String(bytes, StandardCharsets.UTF_8).strip());
        } catch (NoSuchFileException removed) {
            return Optional.empty();
        } catch (IOException unreadable) {
            return Optional.of("");
        }
    }

    private boolean isOver(Path file, String text, Predicate<GpuMark> isHeld) throws IOException {
        try {
            var at = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
            var uid = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            return mark(file, text, (Integer) Objects.requireNonNull(uid), at)
                    .map(mark -> !isHeld.test(mark))
                    // It may be about to be written.
                    .orElseGet(() -> at.plus(GpuMark.START_TIME).isBefore(clock.instant()));
        } catch (NoSuchFileException removed) {
            return false;
        }
    }

    private static Optional<GpuMark> mark(Path file, String text, int uid, Instant at) {
        try {
            return Optional.of(
                    new GpuMark(file.getFileName().toString(), AttemptId.parse(text), uid, at));
        } catch (IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }
}

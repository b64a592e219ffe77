package dev.berth.cli.command.log;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A rotating log: {@code berth.log} is the newest part, {@code berth.log.1} the one before it, and
 * so on. Reading continues where it stopped, even if that part was renamed since.
 */
final class RotatedLog {

    /** More parts than the server ever keeps. */
    private static final int MAX_PARTS = 100;

    /**
     * A part can be missing for a moment during a rotation; after this many misses it counts as
     * deleted.
     */
    private static final int MAX_MISSES = 5;

    /** One part, identified by its file key: a rotation gives its path to another part. */
    record LogPart(Path path, Object key) {}

    private final Path newest;
    private @Nullable Object key;
    private long offset;
    private int misses;

    RotatedLog(Path newest) {
        this.newest = newest;
    }

    /** The existing parts, the newest first. */
    List<LogPart> parts() throws IOException {
        List<LogPart> parts = new ArrayList<>();
        for (int age = 0; age < MAX_PARTS; age++) {
            Path path = age == 0 ? newest : newest.resolveSibling(newest.getFileName() + "." + age);
            Object found = key(path);
            if (found != null) {
                parts.add(new LogPart(path, found));
            } else if (age > 0) {
                break;
            }
        }
        return parts;
    }

    /** All complete lines of one part. After the newest part, {@link #newLines} continues. */
    List<String> lines(LogPart part) throws IOException {
        List<String> lines = new ArrayList<>();
        Object previousKey = key;
        long previousOffset = offset;
        read(part, 0, lines);
        if (!part.path().equals(newest)) {
            key = previousKey;
            offset = previousOffset;
        }
        return lines;
    }

    /** The complete lines that were added since the last call. */
    List<String> newLines() throws IOException {
        List<LogPart> parts = parts();
        // The part that was read last may have been renamed; all newer parts have not been read.
        int last = 0;
        while (last < parts.size() && !parts.get(last).key().equals(key)) {
            last++;
        }
        List<String> lines = new ArrayList<>();
        if (last == parts.size() && key != null && ++misses < MAX_MISSES) {
            return lines;
        }
        misses = 0;
        for (int age = Math.min(last, parts.size() - 1); age >= 0; age--) {
            if (!read(parts.get(age), age == last ? offset : 0, lines)) {
                break; // Just renamed; the next call finds it.
            }
        }
        return lines;
    }

    /** Returns false, and reads nothing, if the path now belongs to another part. */
    private boolean read(LogPart part, long from, List<String> to) throws IOException {
        byte[] bytes;
        try (FileChannel channel = FileChannel.open(part.path())) {
            if (!part.key().equals(key(part.path()))) {
                return false;
            }
            channel.position(Math.min(from, channel.size()));
            bytes = Channels.newInputStream(channel).readAllBytes();
        } catch (NoSuchFileException moved) {
            return false;
        }
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        if (end > 0) {
            String text = new String(bytes, 0, end - 1, StandardCharsets.UTF_8);
            to.addAll(Arrays.asList(text.split("\n", -1)));
        }
        key = part.key();
        offset = from + end;
        return true;
    }

    /** The kernel's identity of a file (device and inode), or null if there is no file. */
    private static @Nullable Object key(Path path) throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return attributes.isRegularFile() ? attributes.fileKey() : null;
        } catch (NoSuchFileException absent) {
            return null;
        }
    }
}

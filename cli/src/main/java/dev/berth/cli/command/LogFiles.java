package dev.berth.cli.command;

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
 * A log that is moved aside as it grows: {@code berth.log} is the newest part, {@code berth.log.1}
 * the one before it, and so on. Read on from where the last reading ended, wherever that part is by
 * now.
 */
final class LogFiles {

    /** More parts than are ever kept. */
    private static final int MOST_PARTS = 100;

    /** A part is not found for a moment while all are moved; beyond that it is gone. */
    private static final int MOST_MISSES = 5;

    /** One part, known by more than its name: the name is another's when it has been moved. */
    record Part(Path path, Object key) {}

    private final Path newest;
    private @Nullable Object key;
    private long offset;
    private int misses;

    LogFiles(Path newest) {
        this.newest = newest;
    }

    /** Those that are there, the newest first. */
    List<Part> parts() throws IOException {
        List<Part> parts = new ArrayList<>();
        for (int age = 0; age < MOST_PARTS; age++) {
            Path path = age == 0 ? newest : newest.resolveSibling(newest.getFileName() + "." + age);
            Object found = key(path);
            if (found != null) {
                parts.add(new Part(path, found));
            } else if (age > 0) {
                break;
            }
        }
        return parts;
    }

    /** All whole lines of one part; after those of the newest, {@link #more} goes on. */
    List<String> lines(Part part) throws IOException {
        List<String> lines = new ArrayList<>();
        Object before = key;
        long wasAt = offset;
        read(part, 0, lines);
        if (!part.path().equals(newest)) {
            key = before;
            offset = wasAt;
        }
        return lines;
    }

    /** The whole lines that have been added since. */
    List<String> more() throws IOException {
        List<Part> parts = parts();
        // The part where we stopped may have been moved aside; all that are newer are new to us.
        int last = 0;
        while (last < parts.size() && !parts.get(last).key().equals(key)) {
            last++;
        }
        List<String> lines = new ArrayList<>();
        if (last == parts.size() && key != null && ++misses < MOST_MISSES) {
            return lines;
        }
        misses = 0;
        for (int age = Math.min(last, parts.size() - 1); age >= 0; age--) {
            if (!read(parts.get(age), age == last ? offset : 0, lines)) {
                break; // Moved just now: the next call finds it again.
            }
        }
        return lines;
    }

    /** False, and nothing read, where the name is no longer that part's. */
    private boolean read(Part part, long from, List<String> to) throws IOException {
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

    /** What the kernel knows a file by, or null where there is none. */
    private static @Nullable Object key(Path path) throws IOException {
        try {
            BasicFileAttributes about = Files.readAttributes(path, BasicFileAttributes.class);
            return about.isRegularFile() ? about.fileKey() : null;
        } catch (NoSuchFileException absent) {
            return null;
        }
    }
}

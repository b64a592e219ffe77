package dev.berth.runs;

import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** The content of the process file at one moment: bytes and parsed records. */
final class ProcessFileContent {

    /** A larger file is not read several times a second. */
    static final int MAX_BYTES = 64 << 20;

    /** A script that writes in place leaves an incomplete file for a moment. */
    private static final Duration INCOMPLETE_LIMIT = Duration.ofMillis(500);

    private static final long PAUSE_NANOS = Duration.ofMillis(2).toNanos();

    /**
     * File times have the resolution of the kernel's tick: two changes within one tick have the
     * same time.
     */
    private static final Duration TICK = Duration.ofMillis(10);

    private final byte[] bytes;
    private final ObjectNode tree;
    private final boolean isBroken;
    private final Optional<FileStamp> identity;
    private final boolean isSettled;

    private ProcessFileContent(
            byte[] bytes,
            ObjectNode tree,
            boolean isBroken,
            Optional<FileStamp> identity,
            boolean isSettled) {
        this.bytes = bytes;
        this.tree = tree;
        this.isBroken = isBroken;
        this.identity = identity;
        this.isSettled = isSettled;
    }

    /** Created only where there is such a file. */
    private static final class Json {
        /** Keeps the numbers of scripts as written, including NaN, which JSON does not have. */
        static final JsonMapper MAPPER =
                JsonMapper.builder()
                        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                        .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                        .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                        .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .build();
    }

    /** Detects without reading that a file was replaced or written. */
    record FileStamp(Object inode, long size, FileTime modified) {

        /** Empty if there is no file. */
        static Optional<FileStamp> of(Path file) throws IOException {
            try {
                var seen = Files.readAttributes(file, BasicFileAttributes.class);
                if (!seen.isRegularFile()) {
                    throw new IOException(file + " is not a file");
                }
                return Optional.of(
                        new FileStamp(
                                Objects.requireNonNull(seen.fileKey()),
                                seen.size(),
                                seen.lastModifiedTime()));
            } catch (NoSuchFileException absent) {
                return Optional.empty();
            }
        }
    }

    /** A content to be written. */
    static ProcessFileContent of(ObjectNode tree) {
        return new ProcessFileContent(
                withNewline(Json.MAPPER.writeValueAsBytes(tree)),
                tree,
                false,
                Optional.empty(),
                false);
    }

    /** The number of bytes that a file with these records has. */
    static long size(ObjectNode tree) {
        var counter = new CountingStream();
        Json.MAPPER.writeValue(counter, tree);
        return counter.count + 1;
    }

    /** Keeps nothing. */
    private static final class CountingStream extends OutputStream {
        private long count;

        @Override
        public void write(int one) {
            count++;
        }

        @Override
        public void write(byte[] some, int offset, int length) {
            count += length;
        }
    }

    private static byte[] withNewline(byte[] text) {
        var line = Arrays.copyOf(text, text.length + 1);
        line[text.length] = '\n';
        return line;
    }

    /** The same content, written to a file that no other program uses. */
    ProcessFileContent storedAt(Optional<FileStamp> place) {
        return new ProcessFileContent(bytes, tree, isBroken, place, true);
    }

    /** The same content, found in a file. */
    private ProcessFileContent foundAt(Optional<FileStamp> place) {
        return new ProcessFileContent(bytes, tree, false, place, isOlderThanTick(place));
    }

    static ProcessFileContent read(Path file) throws IOException {
        return read(file, Optional.empty());
    }

    /**
     * @param expected is not parsed again if the file contains it
     */
    static ProcessFileContent read(Path file, Optional<ProcessFileContent> expected)
            throws IOException {
        var before = FileStamp.of(file);
        if (before.isEmpty()) {
            return emptyContent(new byte[0], before);
        }
        if (before.get().size() > MAX_BYTES) {
            throw tooLarge(file);
        }
        try (var in = Files.newInputStream(file)) {
            var bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw tooLarge(file);
            }
            return expected.filter(one -> !one.isIncomplete() && Arrays.equals(one.bytes, bytes))
                    .map(one -> one.foundAt(before))
                    .orElseGet(() -> parsed(bytes, before));
        } catch (NoSuchFileException gone) {
            return emptyContent(new byte[0], Optional.empty());
        }
    }

    private static IOException tooLarge(Path file) {
        return new IOException(file + " is larger than " + MAX_BYTES + " bytes");
    }

    /**
     * Waits a short time while the file looks incomplete.
     *
     * @param expected as for {@link #read(Path, Optional)}
     */
    static ProcessFileContent readComplete(Path file, Optional<ProcessFileContent> expected)
            throws IOException {
        return readComplete(file, expected, () -> LockSupport.parkNanos(PAUSE_NANOS));
    }

    /**
     * @param pause between two reads
     */
    static ProcessFileContent readComplete(
            Path file, Optional<ProcessFileContent> expected, Runnable pause) throws IOException {
        long end = System.nanoTime() + INCOMPLETE_LIMIT.toNanos();
        var text = read(file, expected);
        while (text.isIncomplete() && System.nanoTime() - end < 0) {
            pause.run();
            text = read(file);
        }
        return text;
    }

    private static ProcessFileContent parsed(byte[] bytes, Optional<FileStamp> identity) {
        if (isBlank(bytes)) {
            return emptyContent(bytes, identity);
        }
        try {
            return Json.MAPPER.readTree(bytes) instanceof ObjectNode object
                    ? new ProcessFileContent(
                            bytes, object, false, identity, isOlderThanTick(identity))
                    : broken(bytes, identity);
        } catch (JacksonException noJson) {
            return broken(bytes, identity);
        }
    }

    private static boolean isOlderThanTick(Optional<FileStamp> identity) {
        return identity.filter(
                        one -> one.modified().toInstant().isBefore(Instant.now().minus(TICK)))
                .isPresent();
    }

    private static boolean isBlank(byte[] bytes) {
        for (var one : bytes) {
            if (one > ' ' || one < 0) {
                return false;
            }
        }
        return true;
    }

    private static ProcessFileContent emptyContent(byte[] bytes, Optional<FileStamp> identity) {
        var empty = JsonNodeFactory.instance.objectNode();
        return new ProcessFileContent(bytes, empty, false, identity, identity.isEmpty());
    }

    private static ProcessFileContent broken(byte[] bytes, Optional<FileStamp> identity) {
        var empty = JsonNodeFactory.instance.objectNode();
        return new ProcessFileContent(bytes, empty, true, identity, false);
    }

    byte[] bytes() {
        return bytes;
    }

    /** Shared: copy it before changing it. */
    ObjectNode tree() {
        return tree;
    }

    /** True if it is not a JSON object. */
    boolean isBroken() {
        return isBroken;
    }

    boolean isAbsent() {
        return identity.isEmpty();
    }

    /** True while a script may be writing in place. */
    boolean isIncomplete() {
        return isBroken || (identity.isPresent() && bytes.length == 0);
    }

    Optional<FileStamp> identity() {
        return identity;
    }

    boolean isSameAs(ProcessFileContent other) {
        return isAbsent() == other.isAbsent() && Arrays.equals(bytes, other.bytes);
    }

    boolean hasSameBytes(ProcessFileContent written) {
        return Arrays.equals(bytes, written.bytes);
    }

    /** True if the file has not changed, as far as file attributes show. */
    boolean isUnchanged(Optional<FileStamp> now) {
        return isSettled && identity.equals(now);
    }
}

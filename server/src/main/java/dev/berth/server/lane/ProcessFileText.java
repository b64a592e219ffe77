package dev.berth.server.lane;

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

/** What stood in the process file at one moment: its bytes and what they say. */
final class ProcessFileText {

    /** More than this nobody means to be looked at several times a second. */
    static final int LIMIT_BYTES = 64 << 20;

    /** Who writes in place leaves half a file for a moment. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private static final long PAUSE_NANOS = Duration.ofMillis(2).toNanos();

    /** The kernel stamps files by its tick: two changes within one cannot be told apart by time. */
    private static final Duration TICK = Duration.ofMillis(10);

    /** Others' numbers stay as they wrote them, those that JSON does not have included. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                    .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
                    .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .build();

    private final byte[] bytes;
    private final ObjectNode tree;
    private final boolean isBroken;
    private final Optional<Identity> identity;
    private final boolean isSettled;

    private ProcessFileText(
            byte[] bytes,
            ObjectNode tree,
            boolean isBroken,
            Optional<Identity> identity,
            boolean isSettled) {
        this.bytes = bytes;
        this.tree = tree;
        this.isBroken = isBroken;
        this.identity = identity;
        this.isSettled = isSettled;
    }

    /** By what one sees without reading that it is another file, or was written to. */
    record Identity(Object inode, long size, FileTime modified) {

        /** Empty where there is none. */
        static Optional<Identity> of(Path file) throws IOException {
            try {
                var seen = Files.readAttributes(file, BasicFileAttributes.class);
                if (!seen.isRegularFile()) {
                    throw new IOException(file + " is not a file");
                }
                return Optional.of(
                        new Identity(
                                Objects.requireNonNull(seen.fileKey()),
                                seen.size(),
                                seen.lastModifiedTime()));
            } catch (NoSuchFileException absent) {
                return Optional.empty();
            }
        }
    }

    /** What is to be written. */
    static ProcessFileText of(ObjectNode tree) {
        return new ProcessFileText(
                withNewline(MAPPER.writeValueAsBytes(tree)), tree, false, Optional.empty(), false);
    }

    private static byte[] withNewline(byte[] text) {
        var line = Arrays.copyOf(text, text.length + 1);
        line[text.length] = '\n';
        return line;
    }

    /** The same, now that it stands in a file that is ours alone. */
    ProcessFileText at(Optional<Identity> place) {
        return new ProcessFileText(bytes, tree, isBroken, place, true);
    }

    static ProcessFileText read(Path file) throws IOException {
        var before = Identity.of(file);
        if (before.isEmpty()) {
            return nothing(new byte[0], before);
        }
        if (before.get().size() > LIMIT_BYTES) {
            throw tooLarge(file);
        }
        try (var in = Files.newInputStream(file)) {
            var bytes = in.readNBytes(LIMIT_BYTES + 1);
            if (bytes.length > LIMIT_BYTES) {
                throw tooLarge(file);
            }
            return parsed(bytes, before);
        } catch (NoSuchFileException gone) {
            return nothing(new byte[0], Optional.empty());
        }
    }

    private static IOException tooLarge(Path file) {
        return new IOException(file + " is larger than " + LIMIT_BYTES + " bytes");
    }

    /** The same, once whoever writes it in place may be expected to be done. */
    static ProcessFileText patiently(Path file) throws IOException {
        return patiently(file, () -> LockSupport.parkNanos(PAUSE_NANOS));
    }

    /**
     * @param pause between two looks
     */
    static ProcessFileText patiently(Path file, Runnable pause) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        var text = read(file);
        while (text.isUnfinished() && System.nanoTime() - end < 0) {
            pause.run();
            text = read(file);
        }
        return text;
    }

    private static ProcessFileText parsed(byte[] bytes, Optional<Identity> identity) {
        if (isBlank(bytes)) {
            return nothing(bytes, identity);
        }
        try {
            return MAPPER.readTree(bytes) instanceof ObjectNode object
                    ? new ProcessFileText(bytes, object, false, identity, isOld(identity))
                    : broken(bytes, identity);
        } catch (JacksonException noJson) {
            return broken(bytes, identity);
        }
    }

    private static boolean isOld(Optional<Identity> identity) {
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

    private static ProcessFileText nothing(byte[] bytes, Optional<Identity> identity) {
        var empty = JsonNodeFactory.instance.objectNode();
        return new ProcessFileText(bytes, empty, false, identity, identity.isEmpty());
    }

    private static ProcessFileText broken(byte[] bytes, Optional<Identity> identity) {
        var empty = JsonNodeFactory.instance.objectNode();
        return new ProcessFileText(bytes, empty, true, identity, false);
    }

    byte[] bytes() {
        return bytes;
    }

    /** Shared: whoever wants to change it makes a copy. */
    ObjectNode tree() {
        return tree;
    }

    /** It is no JSON object. */
    boolean isBroken() {
        return isBroken;
    }

    boolean isAbsent() {
        return identity.isEmpty();
    }

    /** As it looks while somebody writes it in place. */
    boolean isUnfinished() {
        return isBroken || (identity.isPresent() && bytes.length == 0);
    }

    Optional<Identity> identity() {
        return identity;
    }

    boolean isSameAs(ProcessFileText other) {
        return isAbsent() == other.isAbsent() && Arrays.equals(bytes, other.bytes);
    }

    boolean says(ProcessFileText written) {
        return Arrays.equals(bytes, written.bytes);
    }

    /** As far as one can see without reading it again. */
    boolean isStill(Optional<Identity> now) {
        return isSettled && identity.equals(now);
    }
}

package dev.berth.node.shim;

import dev.berth.files.AtomicFile;
import dev.berth.node.linux.RegularFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The exit code of the command as its shim wrote it. The shim first overwrites the placeholder in
 * {@code exit_code.pending}: one synchronous write that needs no new disk space. Then it renames
 * that file to {@code exit_code}, or bash writes that file, for users and scripts. A full disk or a
 * power failure may leave that file missing or empty. If {@code exit_code} has content, it decides;
 * anything but a regular file counts as missing.
 */
public sealed interface ExitRecord {
    int BYTES = 64;
    int MAX_CHARS = 4096;
    Pattern NUMBER = Pattern.compile("-?\\d+");
    int MAX_DIGITS = 9;
    String NOT_BEGUN = "not begun: ";

    /** Exactly as the shim writes it: one wrong bit can turn a blank of the placeholder into 0. */
    Pattern PENDING = Pattern.compile("-?\\d+\n? *\n");

    /** What the native shim leaves of a record that it has renamed. */
    Pattern RENAMED = Pattern.compile("\\d{1,3}\n");

    /** True if it says how the command ended, or that it did not begin. */
    default boolean isReadable() {
        return this instanceof Code || this instanceof NotBegun;
    }

    /** The command has not ended, or the shim was killed before it could write the record. */
    record Absent() implements ExitRecord {}

    record Code(int code) implements ExitRecord {}

    /**
     * A fault of the machine: the shim had the right to start and could not run the command.
     *
     * @param step what failed: {@code go}, {@code cgroup}, {@code files} or {@code process}
     */
    record NotBegun(String step) implements ExitRecord {}

    /** The record contains no number. */
    record Damaged() implements ExitRecord {}

    static ExitRecord read(AttemptDirectory directory) throws IOException {
        var published = text(directory.exitRecord()).filter(text -> !isBlank(text));
        if (published.isPresent()) {
            var code = firstNumber(published.get());
            return code.isPresent() ? new Code(code.getAsInt()) : new Damaged();
        }
        return text(directory.pendingExitRecord()).map(ExitRecord::pending).orElse(new Absent());
    }

    /**
     * The record in {@code exit_code.pending}, opened before the start: it is found there even if
     * the task deleted its directory.
     */
    static ExitRecord readPending(RegularFile opened) throws IOException {
        return pending(text(opened.read(0, MAX_CHARS)));
    }

    private static ExitRecord pending(String text) {
        if (text.length() == BYTES && text.startsWith(NOT_BEGUN)) {
            return new NotBegun(text.substring(NOT_BEGUN.length()).strip());
        }
        boolean isWhole =
                (text.length() == BYTES && PENDING.matcher(text).matches())
                        || RENAMED.matcher(text).matches();
        var code = isWhole ? firstNumber(text) : OptionalInt.empty();
        return code.isPresent() ? new Code(code.getAsInt()) : new Absent();
    }

    /** Creates {@code exit_code} if the shim could not or was killed before it did. */
    static void publish(AttemptDirectory directory) throws IOException {
        if (!Files.exists(directory.pendingExitRecord(), LinkOption.NOFOLLOW_LINKS)) {
            return; // The native shim has renamed it.
        }
        var isPublished = text(directory.exitRecord()).filter(text -> !isBlank(text)).isPresent();
        if (!isPublished && read(directory) instanceof Code) {
            AtomicFile.rename(directory.pendingExitRecord(), directory.exitRecord());
        }
    }

    /**
     * After a power failure some file systems return zeros for data that never reached the disk.
     */
    private static boolean isBlank(String text) {
        return text.chars().allMatch(c -> c == 0);
    }

    /** Has the size of a record and contains no number. */
    static String placeholder() {
        return "pending" + " ".repeat(BYTES - "pending\n".length()) + "\n";
    }

    private static OptionalInt firstNumber(String text) {
        var number = NUMBER.matcher(text);
        return number.find() && number.group().length() <= MAX_DIGITS
                ? OptionalInt.of(Integer.parseInt(number.group()))
                : OptionalInt.empty();
    }

    private static Optional<String> text(Path file) throws IOException {
        try {
            return Optional.of(text(RegularFile.readStart(file, MAX_CHARS)));
        } catch (NoSuchFileException | RegularFile.NotRegularFileException absent) {
            return Optional.empty();
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}

package dev.berth.node.shim;

import dev.berth.files.AtomicFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The exit code of the command as its shim wrote it. The shim first overwrites the placeholder in
 * {@code exit_code.pending}: one synchronous write that needs no new disk space. Then it writes
 * {@code exit_code} for users and scripts. A full disk or a power failure may leave that file
 * missing or empty. If {@code exit_code} has content, it decides.
 */
public sealed interface ExitRecord {
    int BYTES = 64;
    int MAX_CHARS = 4096;
    Pattern NUMBER = Pattern.compile("-?\\d+");
    int MAX_DIGITS = 9;

    /** The command has not ended, or the shim was killed before it could write the record. */
    record Absent() implements ExitRecord {}

    record Code(int code) implements ExitRecord {}

    /** The record contains no number. */
    record Damaged() implements ExitRecord {}

    static ExitRecord read(AttemptDirectory directory) throws IOException {
        var published = text(directory.exitRecord()).filter(text -> !isBlank(text));
        if (published.isPresent()) {
            var code = firstNumber(published.get());
            return code.isPresent() ? new Code(code.getAsInt()) : new Damaged();
        }
        var pending = text(directory.pendingExitRecord()).filter(text -> text.length() == BYTES);
        var code = pending.isPresent() ? firstNumber(pending.get()) : OptionalInt.empty();
        return code.isPresent() ? new Code(code.getAsInt()) : new Absent();
    }

    /** Creates {@code exit_code} if the shim could not or was killed before it did. */
    static void publish(AttemptDirectory directory) throws IOException {
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
        try (var stream = Files.newInputStream(file)) {
            return Optional.of(
                    new String(stream.readNBytes(MAX_CHARS), StandardCharsets.ISO_8859_1));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }
}

package dev.berth.node.shim;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * How the command ended, as its shim wrote it down: first over the placeholder in {@code
 * exit_code.pending}, in one write that is on the disk when it returns and needs no new space, then
 * as {@code exit_code} for everybody to see, which a full disk or a power cut may leave missing or
 * empty. What is there of {@code exit_code} decides.
 */
public sealed interface ExitRecord {
    int BYTES = 64;
    int LONGEST = 4096;
    Pattern NUMBER = Pattern.compile("-?\\d+");
    int MOST_DIGITS = 9;

    /** The command has not ended, or nobody was left to say so. */
    record Absent() implements ExitRecord {}

    record Code(int code) implements ExitRecord {}

    /** There is a record, and no number in it. */
    record Damaged() implements ExitRecord {}

    static ExitRecord read(AttemptDirectory directory) throws IOException {
        var published = text(directory.record()).filter(text -> !isBlank(text));
        if (published.isPresent()) {
            var code = firstNumber(published.get());
            return code.isPresent() ? new Code(code.getAsInt()) : new Damaged();
        }
        var pending = text(directory.pendingRecord()).filter(text -> text.length() == BYTES);
        var code = pending.isPresent() ? firstNumber(pending.get()) : OptionalInt.empty();
        return code.isPresent() ? new Code(code.getAsInt()) : new Absent();
    }

    /** Shows the record to everybody, where the shim could not or was killed before it did. */
    static void publish(AttemptDirectory directory) throws IOException {
        var isPublished = text(directory.record()).filter(text -> !isBlank(text)).isPresent();
        if (!isPublished && read(directory) instanceof Code) {
            Files.move(
                    directory.pendingRecord(), directory.record(), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** After a power cut some file systems give zeros for what never reached the disk. */
    private static boolean isBlank(String text) {
        return text.chars().allMatch(c -> c == 0);
    }

    /** Takes the space of a record, holds no number. */
    static String placeholder() {
        return "pending" + " ".repeat(BYTES - "pending\n".length()) + "\n";
    }

    private static OptionalInt firstNumber(String text) {
        var number = NUMBER.matcher(text);
        return number.find() && number.group().length() <= MOST_DIGITS
                ? OptionalInt.of(Integer.parseInt(number.group()))
                : OptionalInt.empty();
    }

    private static Optional<String> text(Path file) throws IOException {
        try (var stream = Files.newInputStream(file)) {
            return Optional.of(new String(stream.readNBytes(LONGEST), StandardCharsets.ISO_8859_1));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }
}

package dev.berth.cli.command.task;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.text.SafeText;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Text from a file or from standard input.
 *
 * @param file as typed; {@code -} is standard input
 */
record TextInput(String file, CallContext context) {

    /** More than the server accepts, and small enough to read into memory. */
    private static final int MAX_BYTES = 16 * 1024 * 1024;

    /** False for standard input and for a pipe, which have no name. */
    boolean isFile() {
        return !isStandardInput() && Files.isRegularFile(path());
    }

    private boolean isStandardInput() {
        return file.equals("-");
    }

    /** Its name in messages. */
    String shown() {
        return isStandardInput() ? "standard input" : SafeText.line(file);
    }

    String fileName() {
        return String.valueOf(path().getFileName());
    }

    /** Also true for a pipe, such as {@code <(command)} of a shell. */
    boolean exists() {
        return isStandardInput() || (Files.exists(path()) && !Files.isDirectory(path()));
    }

    /**
     * @param expected what the text should be, for the message if it is no text at all
     * @throws CommandFailure it cannot be read, or contains no text
     */
    String text(String expected) {
        String text;
        try (InputStream from = isStandardInput() ? context.in() : Files.newInputStream(path())) {
            text = decoded(from.readNBytes(MAX_BYTES + 1), expected);
        } catch (IOException unreadable) {
            throw new CommandFailure("cannot read " + shown() + ": " + unreadable.getMessage());
        }
        if (text.isBlank()) {
            throw new CommandFailure(shown() + " is empty");
        }
        return text;
    }

    private Path path() {
        return context.cwd().resolve(file);
    }

    private String decoded(byte[] bytes, String expected) {
        if (bytes.length > MAX_BYTES) {
            throw new CommandFailure(shown() + " is larger than " + (MAX_BYTES >> 20) + " MiB");
        }
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            if (text.indexOf('\0') < 0) {
                return text;
            }
        } catch (CharacterCodingException notText) {
            // Reported below, together with NUL characters.
        }
        throw new CommandFailure(shown() + " is not " + expected + ": it is not UTF-8 text");
    }
}

package dev.berth.cli.command;

import dev.berth.cli.call.Refused;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.text.Clean;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A command file as it is now; changing it later changes nothing of its run.
 *
 * @param shown as the caller wrote it
 */
record CommandFile(String shown, Path path, String content) {

    private static final int MOST_BYTES = 10 * 1024 * 1024;

    /** How the files are called whose blocks want several cards. */
    private static final String SEVERAL_CARDS = "command_gpus";

    static CommandFile read(String typed, Surroundings around) {
        Path path = around.cwd().resolve(Script.typed(typed)).normalize();
        String shown = Clean.line(typed);
        if (!Files.exists(path)) {
            throw new Refused("there is no file " + shown);
        }
        if (Files.isDirectory(path)) {
            throw new Refused(shown + " is a directory, not a command file");
        }
        if (!Files.isRegularFile(path)) {
            throw new Refused(shown + " is not a file");
        }
        String content;
        try (InputStream from = Files.newInputStream(path)) {
            content = decoded(from.readNBytes(MOST_BYTES + 1), shown);
        } catch (IOException unreadable) {
            throw new Refused(
                    "cannot read "
                            + shown
                            + ": "
                            + Clean.line(String.valueOf(unreadable.getMessage())));
        }
        if (content.isBlank() || content.equals("\ufeff")) {
            throw new Refused(shown + " is empty");
        }
        return new CommandFile(shown, path, content);
    }

    private static String decoded(byte[] bytes, String shown) {
        if (bytes.length > MOST_BYTES) {
            throw new Refused(shown + " is larger than " + (MOST_BYTES >> 20) + " MB");
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException notText) {
            throw new Refused(shown + " is not UTF-8 text");
        }
    }

    /** The one that its name speaks of. */
    String mode() {
        return String.valueOf(path.getFileName()).startsWith(SEVERAL_CARDS) ? "multi" : "single";
    }
}

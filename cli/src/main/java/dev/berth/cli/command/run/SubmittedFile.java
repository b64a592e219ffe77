package dev.berth.cli.command.run;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CommandFailure;
import dev.berth.cli.command.task.TaskScript;
import dev.berth.cli.text.SafeText;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The content of a command file when the command was called. Later changes of the file do not
 * affect its run.
 *
 * @param displayName the path as the user typed it
 */
record SubmittedFile(String displayName, Path path, String content) {

    private static final int MAX_BYTES = 10 * 1024 * 1024;

    /** Prefix of the names of files whose blocks need several GPUs. */
    private static final String MULTI_GPU_PREFIX = "command_gpus";

    static SubmittedFile read(String typed, CallContext context) {
        Path path = context.cwd().resolve(TaskScript.checkDecoded(typed)).normalize();
        String shown = SafeText.line(typed);
        if (!Files.exists(path)) {
            throw new CommandFailure("there is no file " + shown);
        }
        if (Files.isDirectory(path)) {
            throw new CommandFailure(shown + " is a directory, not a command file");
        }
        if (!Files.isRegularFile(path)) {
            throw new CommandFailure(shown + " is not a file");
        }
        String content;
        try (InputStream from = Files.newInputStream(path)) {
            content = decoded(from.readNBytes(MAX_BYTES + 1), shown);
        } catch (IOException unreadable) {
            throw new CommandFailure(
                    "cannot read "
                            + shown
                            + ": "
                            + SafeText.line(String.valueOf(unreadable.getMessage())));
        }
        if (content.isBlank() || content.equals("\ufeff")) {
            throw new CommandFailure(shown + " is empty");
        }
        return new SubmittedFile(shown, path, content);
    }

    private static String decoded(byte[] bytes, String shown) {
        if (bytes.length > MAX_BYTES) {
            throw new CommandFailure(shown + " is larger than " + (MAX_BYTES >> 20) + " MB");
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException notText) {
            throw new CommandFailure(shown + " is not UTF-8 text");
        }
    }

    /** The default mode, derived from the file name. */
    String mode() {
        return String.valueOf(path.getFileName()).startsWith(MULTI_GPU_PREFIX) ? "multi" : "single";
    }
}

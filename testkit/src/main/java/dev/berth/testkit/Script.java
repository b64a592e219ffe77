package dev.berth.testkit;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Writes scripts that a test is about to run. The kernel runs no file that is open for writing
 * anywhere, and whatever a test beside this one starts at that moment holds our open files until it
 * has closed them; so another process does the writing, whose files nobody inherits.
 */
public final class Script {

    private Script() {}

    /** Makes or replaces the file, for anybody to run. */
    public static Path write(Path file, String script) {
        try {
            var writer =
                    new ProcessBuilder(
                                    "bash",
                                    "-c",
                                    "cat >\"$0\" && chmod 755 \"$0\"",
                                    file.toString())
                            .redirectOutput(Redirect.INHERIT)
                            .redirectError(Redirect.INHERIT)
                            .start();
            try (var text = writer.getOutputStream()) {
                text.write(script.getBytes(StandardCharsets.UTF_8));
            }
            if (writer.waitFor() != 0) {
                throw new AssertionError("the script " + file + " could not be written");
            }
            return file;
        } catch (IOException e) {
            throw new AssertionError("while writing the script " + file, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while writing the script " + file, e);
        }
    }
}

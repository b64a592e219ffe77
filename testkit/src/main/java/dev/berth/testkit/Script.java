package dev.berth.testkit;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Writes scripts that a test then runs. The kernel does not execute a file that any process has
 * open for writing (ETXTBSY), and a process started by a parallel test inherits our open files for
 * a moment. So a child process writes the script.
 */
public final class Script {

    private Script() {}

    /** Creates or replaces the file, executable for all users. */
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

package dev.berth.app.system;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs of the system. */
final class Programs {

    private static final int TIMEOUT_SECONDS = 60;
    private static final int MAX_OUTPUT_BYTES = 2000;

    private Programs() {}

    /**
     * @return the beginning of its output
     * @throws IOException if it fails; the message has its output
     */
    static String run(List<String> command) throws IOException {
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                        .start();
        try (var output = process.getInputStream()) {
            var text = new String(output.readNBytes(MAX_OUTPUT_BYTES), StandardCharsets.UTF_8);
            output.transferTo(OutputStream.nullOutputStream());
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(command.getFirst() + " does not end");
            }
            if (process.exitValue() != 0) {
                throw new IOException(
                        String.join(" ", command)
                                + " failed with status "
                                + process.exitValue()
                                + ": "
                                + text.strip());
            }
            return text.strip();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(command.getFirst() + " was interrupted", e);
        }
    }
}

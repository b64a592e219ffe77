package dev.berth.app.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs other programs and captures their output. */
final class ProgramOutput {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int MAX_OUTPUT_BYTES = 2000;

    private ProgramOutput() {}

    /** The output of a program, or why there is none. */
    sealed interface ProgramResult {
        record Succeeded(String text) implements ProgramResult {}

        record Failed(String why) implements ProgramResult {}
    }

    /**
     * Runs the program. One that does not end in time is abandoned, because it may not even react
     * to SIGKILL.
     */
    static ProgramResult run(Path program, String... arguments) throws InterruptedException {
        var command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        try {
            var output = Files.createTempFile("berth-doctor-", ".txt");
            try {
                var process =
                        new ProcessBuilder(command)
                                .redirectErrorStream(true)
                                .redirectInput(Path.of("/dev/null").toFile())
                                .redirectOutput(output.toFile())
                                .start();
                if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    return new ProgramResult.Failed(
                            "no answer within " + TIMEOUT.toSeconds() + " s");
                }
                var text = read(output);
                return process.exitValue() == 0
                        ? new ProgramResult.Succeeded(text)
                        : new ProgramResult.Failed("exit " + process.exitValue() + ": " + text);
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException failure) {
            return new ProgramResult.Failed(String.valueOf(failure.getMessage()));
        }
    }

    private static String read(Path output) throws IOException {
        try (var in = Files.newInputStream(output)) {
            return new String(in.readNBytes(MAX_OUTPUT_BYTES), StandardCharsets.UTF_8).strip();
        }
    }
}

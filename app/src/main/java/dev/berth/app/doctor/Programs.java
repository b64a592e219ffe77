package dev.berth.app.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks other programs on this machine. */
final class Programs {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int LONGEST_ANSWER = 2000;

    private Programs() {}

    /** What a program said. */
    sealed interface Answer {
        record Said(String text) implements Answer {}

        record Failed(String why) implements Answer {}
    }

    /** Runs it; one that does not answer is given up, since it may not even be killable. */
    static Answer ask(Path program, String... words) throws InterruptedException {
        var command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(words));
        try {
            var output = Files.createTempFile("berth-doctor-", ".txt");
            try {
                var process =
                        new ProcessBuilder(command)
                                .redirectErrorStream(true)
                                .redirectInput(Path.of("/dev/null").toFile())
                                .redirectOutput(output.toFile())
                                .start();
                if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    return new Answer.Failed("no answer within " + PATIENCE.toSeconds() + " s");
                }
                var said = read(output);
                return process.exitValue() == 0
                        ? new Answer.Said(said)
                        : new Answer.Failed("exit " + process.exitValue() + ": " + said);
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException failure) {
            return new Answer.Failed(String.valueOf(failure.getMessage()));
        }
    }

    private static String read(Path output) throws IOException {
        try (var in = Files.newInputStream(output)) {
            return new String(in.readNBytes(LONGEST_ANSWER), StandardCharsets.UTF_8).strip();
        }
    }
}

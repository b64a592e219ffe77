package dev.berth.node.card;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** The program {@code nvidia-smi}, asked one question at a time. */
final class Smi {

    /**
     * Killed then. The cards are unknown long before that; this only makes room for another try.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** One that cannot be killed is waited for, so that there is never a second one beside it. */
    private static final Duration GRIEF = Duration.ofDays(366);

    private final Path path;
    private final Program program =
            new Program(
                    new Program.Limits(
                            PATIENCE, Duration.ofMillis(2), GRIEF, Program.Surfeit.KILL));

    Smi(Path path) {
        this.path = path;
    }

    String ask(String query) throws ProbeFailure {
        var builder =
                new ProcessBuilder(path.toString(), query, "--format=csv,noheader,nounits")
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("LC_ALL", "C");
        try {
            return switch (program.run(builder)) {
                case Program.Outcome.Ended(int status, String text) -> answer(status, text);
                case Program.Outcome.TooLong _ ->
                        throw new ProbeFailure(
                                "nvidia-smi did not answer for " + PATIENCE.toSeconds() + " s");
            };
        } catch (IOException e) {
            throw new ProbeFailure(path + " cannot be run: " + e.getMessage());
        }
    }

    private static String answer(int status, String text) throws ProbeFailure {
        if (status != 0) {
            throw ProbeFailure.answer(
                    "nvidia-smi ended with "
                            + status
                            + text.lines()
                                    .findFirst()
                                    .map(line -> ": " + SmiText.shown(line))
                                    .orElse(""));
        }
        return text;
    }

    void close() {
        program.close();
    }
}

package dev.berth.node.gpu;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Runs {@code nvidia-smi}, one query at a time. */
final class SmiProgram {

    /**
     * Then the program is killed. The GPUs are unknown long before that; killing only allows
     * another try.
     */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** A process that cannot be killed is waited for, so that two never run at the same time. */
    private static final Duration KILL_WAIT = Duration.ofDays(366);

    private final Path path;
    private final ExternalProgram program =
            new ExternalProgram(
                    new ExternalProgram.ProgramLimits(
                            TIMEOUT,
                            Duration.ofMillis(2),
                            KILL_WAIT,
                            ExternalProgram.Overflow.KILL));

    SmiProgram(Path path) {
        this.path = path;
    }

    String query(String query) throws ProbeFailure {
        var builder =
                new ProcessBuilder(path.toString(), query, "--format=csv,noheader,nounits")
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("LC_ALL", "C");
        try {
            return switch (program.run(builder)) {
                case ExternalProgram.ProgramOutcome.Ended(int status, String text) ->
                        answer(status, text);
                case ExternalProgram.ProgramOutcome.TimedOut _ ->
                        throw new ProbeFailure(
                                "nvidia-smi did not answer for " + TIMEOUT.toSeconds() + " s");
            };
        } catch (IOException e) {
            throw new ProbeFailure(path + " cannot be run: " + e.getMessage());
        }
    }

    private static String answer(int status, String text) throws ProbeFailure {
        if (status != 0) {
            throw ProbeFailure.ofInvalidAnswer(
                    "nvidia-smi ended with "
                            + status
                            + text.lines()
                                    .findFirst()
                                    .map(line -> ": " + SmiParser.quoted(line))
                                    .orElse(""));
        }
        return text;
    }

    void close() {
        program.close();
    }
}

package dev.berth.app.doctor;

import dev.berth.node.process.ProgramRun;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs other programs and captures their output. */
final class ProgramOutput {

    private static final ProgramRun.Limits LIMITS =
            new ProgramRun.Limits(Duration.ofSeconds(5), 2000);

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
            var process = ProgramRun.builder(command).redirectErrorStream(true).start();
            return switch (ProgramRun.await(process, LIMITS)) {
                case ProgramRun.Result.TimedOut _ ->
                        new ProgramResult.Failed(
                                "no answer within " + LIMITS.time().toSeconds() + " s");
                case ProgramRun.Result.Ended(int status, var text, _, _) when status == 0 ->
                        new ProgramResult.Succeeded(text.strip());
                case ProgramRun.Result.Ended(int status, var text, _, _) ->
                        new ProgramResult.Failed("exit " + status + ": " + text.strip());
            };
        } catch (IOException failure) {
            return new ProgramResult.Failed(String.valueOf(failure.getMessage()));
        }
    }
}

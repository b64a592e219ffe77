package dev.berth.app.endtoend;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Runs a command in a terminal of a given width, by the program {@code script}. */
final class PseudoTerminal {

    private PseudoTerminal() {}

    /**
     * Runs {@code berth} and waits for its end.
     *
     * @return its output and exit status; the terminal shows both of its streams
     */
    static ServerProcess run(ServerHarness harness, int columns, String... arguments) {
        var words = new ArrayList<>(List.of(arguments));
        words.addAll(List.of("--home", harness.home().toString()));
        var process =
                ServerProcess.launch(
                        command(columns, ProgramUnderTest.command(words)),
                        // A variable from the shell before a resize; the terminal knows better.
                        Map.of("COLUMNS", "33", "TERM", "xterm", "NO_COLOR", "1"),
                        output(harness));
        process.awaitEnd();
        return process;
    }

    static List<String> command(int columns, List<String> words) {
        var quoted =
                words.stream()
                        .map(word -> "'" + word.replace("'", "'\\''") + "'")
                        .collect(Collectors.joining(" "));
        var inside = "stty cols " + columns + " rows 40 -onlcr && exec " + quoted;
        return List.of("script", "--quiet", "--flush", "--return", "-c", inside, "/dev/null");
    }

    private static Path output(ServerHarness harness) {
        return harness.file("terminal");
    }
}

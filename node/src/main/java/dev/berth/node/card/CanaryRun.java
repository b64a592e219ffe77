package dev.berth.node.card;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Tries whether a card computes, by the canary or by a command that somebody has set for it. */
final class CanaryRun {

    private static final Logger log = LoggerFactory.getLogger(CanaryRun.class);

    static final String USUAL_LIBRARY = "libcuda.so.1";

    private static final Duration LOOK_EVERY = Duration.ofMillis(20);
    private static final Duration GRIEF = Duration.ofSeconds(2);
    private static final Duration COMMANDS_PATIENCE = Duration.ofMinutes(5);
    private static final int LONGEST_WORDS = 200;

    private final Optional<String> command;
    private final String library;
    private final Program program;
    private final Duration patience;

    /**
     * @param command in place of the canary
     * @param library of CUDA
     * @param patience with the canary
     */
    CanaryRun(Optional<String> command, String library, Duration patience) {
        this.command = command;
        this.library = library;
        this.patience = command.isPresent() ? COMMANDS_PATIENCE : patience;
        this.program =
                new Program(
                        new Program.Limits(
                                this.patience, LOOK_EVERY, GRIEF, Program.Surfeit.FORGET));
    }

    /** Why the card does not compute, if so. Returns when that is known. */
    Optional<String> run(String uuid, int index) {
        try {
            return switch (program.run(builder(uuid, index))) {
                case Program.Outcome.Ended(int status, String text) -> ended(status, text);
                case Program.Outcome.TooLong _ ->
                        Optional.of("the test did not end within " + patience.toSeconds() + " s");
            };
        } catch (IOException e) {
            return Optional.of("the test could not be started: " + e.getMessage());
        }
    }

    private Optional<String> ended(int status, String text) {
        if (status == Canary.PASSED) {
            return Optional.empty();
        }
        if (command.isEmpty() && status == Canary.NO_CUDA) {
            log.info("{} cannot be loaded: a card is handed back by its readings alone", library);
            return Optional.empty();
        }
        var last = text.lines().filter(line -> !line.isBlank()).reduce((_, line) -> line);
        return Optional.of(
                last.map(CanaryRun::shown).orElse("the test ended with status " + status));
    }

    private static String shown(String line) {
        var clean = line.strip().replaceAll("\\p{Cntrl}", "?");
        return clean.length() > LONGEST_WORDS ? clean.substring(0, LONGEST_WORDS) : clean;
    }

    private ProcessBuilder builder(String uuid, int index) {
        var builder =
                new ProcessBuilder(
                                command.map(script -> List.of("bash", "-c", script))
                                        .orElseGet(this::canary))
                        .redirectErrorStream(true);
        var environment = builder.environment();
        // Numbers are what people's own tests take; by its UUID no renumbering can mislead ours.
        environment.put(
                "CUDA_VISIBLE_DEVICES", command.isPresent() ? Integer.toString(index) : uuid);
        environment.put("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
        return builder;
    }

    private List<String> canary() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:ErrorFile=/dev/null",
                "-XX:-CreateCoredumpOnCrash",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Canary.class.getName(),
                library);
    }

    void close() {
        program.close();
    }
}

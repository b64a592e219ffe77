package dev.berth.node.gpu;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Tests whether a GPU computes, with the built-in test program or with a configured command. */
final class GpuTestRun {

    private static final Logger log = LoggerFactory.getLogger(GpuTestRun.class);

    static final String DEFAULT_LIBRARY = "libcuda.so.1";

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final Duration KILL_WAIT = Duration.ofSeconds(2);
    private static final Duration COMMAND_TIMEOUT = Duration.ofMinutes(5);
    private static final int MAX_MESSAGE_CHARS = 200;

    private final Optional<String> command;
    private final String library;
    private final ExternalProgram program;
    private final Duration timeout;

    /**
     * @param command replaces the built-in test
     * @param library name of the CUDA library
     * @param timeout time limit of the built-in test
     */
    GpuTestRun(Optional<String> command, String library, Duration timeout) {
        this.command = command;
        this.library = library;
        this.timeout = command.isPresent() ? COMMAND_TIMEOUT : timeout;
        this.program =
                new ExternalProgram(
                        new ExternalProgram.ProgramLimits(
                                this.timeout,
                                POLL_INTERVAL,
                                KILL_WAIT,
                                ExternalProgram.Overflow.KEEP_LATEST));
    }

    /** Runs the test to its end. Returns the reason if the GPU does not compute. */
    Optional<String> run(String uuid, int index) {
        try {
            return switch (program.run(builder(uuid, index))) {
                case ExternalProgram.ProgramOutcome.Ended(int status, String text) ->
                        ended(status, text);
                case ExternalProgram.ProgramOutcome.TimedOut _ ->
                        Optional.of("the test did not end within " + timeout.toSeconds() + " s");
            };
        } catch (IOException e) {
            return Optional.of("the test could not be started: " + e.getMessage());
        }
    }

    private Optional<String> ended(int status, String text) {
        if (status == GpuTestProgram.PASSED) {
            return Optional.empty();
        }
        if (command.isEmpty() && status == GpuTestProgram.NO_CUDA) {
            log.info("{} cannot be loaded: a GPU is accepted on its readings alone", library);
            return Optional.empty();
        }
        var last = text.lines().filter(line -> !line.isBlank()).reduce((_, line) -> line);
        return Optional.of(
                last.map(GpuTestRun::clip).orElse("the test ended with status " + status));
    }

    private static String clip(String line) {
        var clean = line.strip().replaceAll("\\p{Cntrl}", "?");
        return clean.length() > MAX_MESSAGE_CHARS ? clean.substring(0, MAX_MESSAGE_CHARS) : clean;
    }

    private ProcessBuilder builder(String uuid, int index) {
        var builder =
                new ProcessBuilder(
                                command.map(script -> List.of("bash", "-c", script))
                                        .orElseGet(this::builtInTest))
                        .redirectErrorStream(true);
        var environment = builder.environment();
        // Users' tests expect GPU indices. The built-in test uses the UUID, which no renumbering
        // can change.
        environment.put(
                "CUDA_VISIBLE_DEVICES", command.isPresent() ? Integer.toString(index) : uuid);
        environment.put("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
        return builder;
    }

    private List<String> builtInTest() {
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
                GpuTestProgram.class.getName(),
                library);
    }

    void close() {
        program.close();
    }
}

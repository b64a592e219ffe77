package dev.berth.app.endtoend;

import dev.berth.testkit.Eventually;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One server process: started, possibly ready, ended. Signals go only to this process. */
final class ServerProcess {

    private static final Duration READY_WITHIN = Duration.ofMinutes(3);
    private static final Duration STOPPED_WITHIN = Duration.ofMinutes(3);
    private static final int SHOWN_BYTES = 20_000;

    private final Process process;
    private final Path stdout;
    private final Path stderr;

    private ServerProcess(Process process, Path stdout, Path stderr) {
        this.process = process;
        this.stdout = stdout;
        this.stderr = stderr;
    }

    /**
     * Starts a server and returns immediately.
     *
     * @param outputs prefix of the files for its stdout and stderr
     */
    static ServerProcess launch(
            List<String> command, Map<String, String> environment, Path outputs) {
        var stdout = Path.of(outputs + ".out");
        var stderr = Path.of(outputs + ".err");
        var builder =
                new ProcessBuilder(command)
                        .redirectOutput(stdout.toFile())
                        .redirectError(stderr.toFile());
        builder.environment().putAll(environment);
        try {
            var process = builder.start();
            process.getOutputStream().close();
            return new ServerProcess(process, stdout, stderr);
        } catch (IOException e) {
            throw new UncheckedIOException("starting " + command.getFirst(), e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The URL from its ready line; fails immediately if the process ended instead. */
    String awaitReady() {
        var line =
                Eventually.present(
                        READY_WITHIN,
                        "the server is ready",
                        () -> {
                            var out = stdout();
                            if (out.isEmpty() && !isAlive()) {
                                throw new IllegalStateException(
                                        "the server ended with "
                                                + process.exitValue()
                                                + "\n"
                                                + outputTail());
                            }
                            return out.endsWith("\n")
                                    ? Optional.of(out.lines().findFirst().orElseThrow())
                                    : Optional.empty();
                        });
        if (!line.matches("ready https?://127\\.0\\.0\\.1:\\d+/?")) {
            throw new AssertionError("not a ready line: " + line);
        }
        return line.substring("ready ".length()).replaceFirst("/$", "");
    }

    /** Everything it has printed on stdout. */
    String stdout() {
        return read(stdout);
    }

    String stderr() {
        return read(stderr);
    }

    /** SIGKILL. */
    void kill() {
        process.destroyForcibly();
        if (!endsWithin(STOPPED_WITHIN)) {
            throw new AssertionError("the server outlived SIGKILL");
        }
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** SIGTERM, and its exit status. */
    int stop() {
        terminate();
        return awaitEnd();
    }

    /** Its exit status. */
    int awaitEnd() {
        if (!endsWithin(STOPPED_WITHIN)) {
            throw new AssertionError("the server did not end\n" + outputTail());
        }
        return process.exitValue();
    }

    int exitValue() {
        return process.exitValue();
    }

    /** Lets it run for this time; true if it ended earlier. */
    boolean endsWithin(Duration time) {
        try {
            return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the server ran", e);
        }
    }

    long residentKib() {
        return read(Path.of("/proc/" + pid() + "/status"))
                .lines()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    /** The end of its output, for the report of a failure. */
    String outputTail() {
        var said = stderr();
        var end =
                said.length() <= SHOWN_BYTES
                        ? said
                        : "…" + said.substring(said.length() - SHOWN_BYTES);
        return "--- "
                + stderr.getFileName()
                + " (pid "
                + pid()
                + ", "
                + (isAlive() ? "alive" : "ended")
                + ")\n"
                + end;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + file, e);
        }
    }
}

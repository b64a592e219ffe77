package dev.berth.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A real Slurm cluster with fake GPUs on this machine, for one test. Closing it ends its jobs. */
public final class SlurmTestCluster implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final List<String> PLACES =
            List.of("/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/local/sbin");
    private static final List<String> PROGRAMS = List.of("slurmctld", "slurmd", "sbatch", "munged");

    private final Path directory;
    private final Path script;

    private SlurmTestCluster(Path directory, Path script) {
        this.directory = directory;
        this.script = script;
    }

    /** Why no cluster can be started here; empty if one can. */
    public static Optional<String> missing() {
        if (!System.getProperty("user.name").equals("root")) {
            return Optional.of("a Slurm cluster for tests needs root");
        }
        return PROGRAMS.stream()
                .filter(program -> !isInstalled(program))
                .findFirst()
                .map(program -> program + " is not installed (Debian: slurm-wlm, munge)");
    }

    private static boolean isInstalled(String program) {
        return PLACES.stream().anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }

    /** Four nodes n1 to n4 with four GPUs each; the first two have type a100, the others v100. */
    public static SlurmTestCluster start() throws IOException {
        return start(4, Map.of());
    }

    /**
     * @param settings variables of the script {@code cluster.sh}
     */
    public static SlurmTestCluster start(int nodes, Map<String, String> settings)
            throws IOException {
        var directory = Files.createTempDirectory("slurm-");
        // The controller runs as another user.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        var script = directory.resolve("cluster.sh");
        try (var source =
                Objects.requireNonNull(
                        SlurmTestCluster.class.getResourceAsStream("slurm/cluster.sh"))) {
            Files.copy(source, script);
        }
        var cluster = new SlurmTestCluster(directory, script);
        var arguments = new ArrayList<>(List.of("start", directory.toString()));
        freePorts(nodes + 1).forEach(port -> arguments.add(Integer.toString(port)));
        cluster.run(settings, arguments);
        cluster.writeSubmitCommand();
        return cluster;
    }

    /** A command {@code sbatch} that can kill the controller right after its acknowledgement. */
    private void writeSubmitCommand() throws IOException {
        Files.createDirectory(directory.resolve("bin"));
        var real =
                PLACES.stream()
                        .map(place -> Path.of(place, "sbatch"))
                        .filter(Files::isExecutable)
                        .findFirst()
                        .orElseThrow();
        Script.write(
                directory.resolve("bin/sbatch"),
                """
                #!/bin/bash
                %1$s "$@"
                code=$?
                if ((code == 0)) && mv %2$s/kill-after-submit %2$s/killed 2>/dev/null; then
                    kill -9 "$(tr -dc 0-9 <%2$s/run/slurmctld.pid)"
                fi
                exit $code
                """
                        .formatted(real, directory));
    }

    /** The next acknowledged {@code sbatch} kills the controller before it returns. */
    public void killControllerAfterNextSubmit() {
        try {
            Files.deleteIfExists(directory.resolve("killed"));
            Files.createFile(directory.resolve("kill-after-submit"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Whether that has happened. */
    public boolean isControllerKilledBySubmit() {
        return Files.exists(directory.resolve("killed"));
    }

    /** CPU time that the controller has used, in hundredths of a second. */
    public long controllerTicks() {
        try {
            var pid = Files.readString(directory.resolve("run/slurmctld.pid")).strip();
            var stat = Files.readString(Path.of("/proc", pid, "stat"));
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static List<Integer> freePorts(int count) throws IOException {
        var sockets = new ArrayList<ServerSocket>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    /** The variables that make a program use this cluster. */
    public Map<String, String> environment() {
        return Map.of(
                "SLURM_CONF",
                directory.resolve("etc/slurm.conf").toString(),
                "PATH",
                directory.resolve("bin") + ":" + System.getenv().getOrDefault("PATH", ""));
    }

    public void killController() {
        run("kill-controller");
    }

    public void startController() {
        run("start-controller");
    }

    public void killNode(String node) {
        run("kill-node", node);
    }

    public void startNode(String node) {
        run("start-node", node);
    }

    /** Runs a command of Slurm and returns its output. */
    public String command(String... words) {
        return run(environment(), List.of(words), false);
    }

    private void run(String action, String... more) {
        var arguments = new ArrayList<>(List.of(action, directory.toString()));
        arguments.addAll(List.of(more));
        run(Map.of(), arguments);
    }

    private void run(Map<String, String> settings, List<String> arguments) {
        var command = new ArrayList<>(List.of("/bin/bash", script.toString()));
        command.addAll(arguments);
        run(settings, command, true);
    }

    private String run(Map<String, String> settings, List<String> command, boolean isRequired) {
        try {
            // Daemons inherit an output file, but would keep a pipe open.
            var output = Files.createTempFile(directory, "run-", ".out");
            var builder =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile());
            builder.environment().putAll(settings);
            var process = builder.start();
            if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException(command + " does not end");
            }
            var text = Files.readString(output, StandardCharsets.UTF_8);
            if (isRequired && process.exitValue() != 0) {
                throw new IllegalStateException(command + " failed: " + text);
            }
            Files.deleteIfExists(output);
            return text;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void close() {
        run("stop");
        try (var files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}

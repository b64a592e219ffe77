package dev.berth.app.bench;

import dev.berth.cli.call.CommandFailure;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what Berth adds to the start of a Slurm job, and how fast it answers while Slurm does
 * not.
 */
final class SlurmBench {

    private static final int WARM_UP = 10;
    private static final int STARTS = 20;
    private static final int SUBMITS = 200;
    private static final long START_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Slurm starts the next job later while one is just ending. */
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final List<String> COMMANDS =
            List.of("sbatch", "squeue", "scancel", "scontrol", "sinfo");

    private final String launcher;
    private final BenchReport report;

    SlurmBench(String launcher, BenchReport report) {
        this.launcher = launcher;
        this.report = report;
    }

    /**
     * @param directory on a path that all nodes share; temporary homes are created there and
     *     removed
     */
    void run(Path directory) throws IOException {
        var home = home(directory);
        try (var server = BenchServer.startSlurm(launcher, home, List.of());
                var client = server.client()) {
            var file = home.resolve("first");
            var _ = starts(client, file, WARM_UP);
            // In turn, so that a change of the cluster's load meets both.
            var slurm = new double[STARTS];
            var berth = new double[STARTS];
            for (int i = 0; i < STARTS; i++) {
                LockSupport.parkNanos(SETTLE_NANOS);
                slurm[i] = slurmStart(home, file);
                LockSupport.parkNanos(SETTLE_NANOS);
                berth[i] = berthStart(client, file);
            }
            var alone = Percentiles.of(slurm);
            var above = Percentiles.of(berth);
            report.line("sbatch to first instruction", alone.toString());
            report.line("Berth to first instruction", above.toString());
            report.line("added by Berth", "p50 %.2f ms".formatted(above.p(50) - alone.p(50)));
        } finally {
            BenchReport.delete(home);
        }
        measureSilence(directory);
    }

    private static Path home(Path directory) throws IOException {
        var home = Files.createTempDirectory(directory, "berth-bench");
        Files.createDirectory(home.resolve("config"));
        Files.writeString(home.resolve("config/berth.yaml"), "engine: slurm\n");
        return home;
    }

    private static double[] starts(BenchServer.Client client, Path file, int count)
            throws IOException {
        var millis = new double[count];
        for (int i = 0; i < count; i++) {
            millis[i] = berthStart(client, file);
        }
        return millis;
    }

    private static double berthStart(BenchServer.Client client, Path file) throws IOException {
        Files.deleteIfExists(file);
        var begin = Instant.now();
        long task = client.submit(recorded(file), "cpu", 0);
        double millis = awaitStart(file, begin);
        client.await(task);
        return millis;
    }

    private static double slurmStart(Path home, Path file) throws IOException {
        Files.deleteIfExists(file);
        var script = home.resolve("floor.sh");
        Files.writeString(script, "#!/bin/bash\n" + recorded(file) + "\n");
        var begin = Instant.now();
        var _ =
                TimedCommand.run(
                        List.of(
                                "/usr/bin/env",
                                "sbatch",
                                "--output=/dev/null",
                                "--chdir=/",
                                script.toString()),
                        home.resolve("floor.out"));
        return awaitStart(file, begin);
    }

    /** The file appears as a whole. */
    private static String recorded(Path file) {
        return "t=$EPOCHREALTIME; echo $t > %1$s.new; mv %1$s.new %1$s".formatted(file);
    }

    private static double awaitStart(Path file, Instant begin) throws IOException {
        long end = System.nanoTime() + START_NANOS;
        while (!Files.exists(file)) {
            if (System.nanoTime() > end) {
                throw new CommandFailure("no job started within a minute: see sinfo and squeue");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        var first = new BigDecimal(Files.readString(file).strip());
        var from =
                BigDecimal.valueOf(begin.getEpochSecond())
                        .add(BigDecimal.valueOf(begin.getNano(), 9));
        return first.subtract(from).doubleValue() * 1000;
    }

    /** With its controller down, a command of Slurm does not return for minutes. */
    private void measureSilence(Path directory) throws IOException {
        var home = home(directory);
        var silent = Files.createDirectory(home.resolve("bin"));
        for (var command : COMMANDS) {
            var file = silent.resolve(command);
            Files.writeString(file, "#!/bin/sh\nexec sleep 600\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        var path = "PATH=" + silent + ":" + System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        try (var server = BenchServer.startSlurm(launcher, home, List.of(path));
                var client = server.client()) {
            var _ = measureSubmits(client, SUBMITS);
            var figures = measureSubmits(client, SUBMITS);
            report.line("Slurm silent: submit", Percentiles.of(figures[0]).toString());
            report.line("Slurm silent: cancel, final", Percentiles.of(figures[1]).toString());
        } finally {
            BenchReport.delete(home);
        }
    }

    /** Times of submits, and of cancels until the task has ended. */
    private static double[][] measureSubmits(BenchServer.Client client, int count)
            throws IOException {
        var figures = new double[2][count];
        for (int i = 0; i < count; i++) {
            long begin = System.nanoTime();
            long task = client.submit("true", "cpu", 0);
            long submitted = System.nanoTime();
            client.cancel(task);
            client.awaitCancelled(task);
            figures[0][i] = (submitted - begin) / 1e6;
            figures[1][i] = (System.nanoTime() - submitted) / 1e6;
        }
        return figures;
    }
}

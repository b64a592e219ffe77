package dev.berth.app.bench;

import dev.berth.cli.call.CommandFailure;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what Berth adds to the start of a Slurm job, and how fast it answers while Slurm does
 * not.
 */
final class SlurmBench {

    private static final int WARM_UP = 10;
    private static final int STARTS = 60;

    /** Has no common divisor with the number of starts. */
    private static final int STRIDE = 17;

    private static final int SUBMITS = 200;
    private static final long START_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** When a job has ended, Slurm looks at once for jobs to start. */
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

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
            for (int i = 0; i < WARM_UP; i++) {
                var _ = berthStart(client, file);
            }
            var slurm = new double[STARTS];
            var berth = new double[STARTS];
            for (int i = 0; i < STARTS; i++) {
                // In turn, so that a change of the cluster's load meets both.
                for (boolean isBerth : List.of(i % 2 == 0, i % 2 != 0)) {
                    awaitOffset(i);
                    if (isBerth) {
                        berth[i] = berthStart(client, file);
                    } else {
                        slurm[i] = slurmStart(home, file);
                    }
                }
            }
            report(Percentiles.of(slurm), Percentiles.of(berth), mean(berth) - mean(slurm));
        } finally {
            BenchReport.delete(home);
        }
        measureSilence(directory);
    }

    /**
     * Slurm looks once a second for jobs to start, so a job waits for up to a second. Both kinds of
     * jobs are submitted evenly over the second; else the figure would say how long before such a
     * moment each kind happened to be submitted.
     */
    private static void awaitOffset(int start) {
        long offset = start * STRIDE % STARTS * SECOND_NANOS / STARTS;
        var earliest = Instant.now().plusNanos(SETTLE_NANOS);
        var end = earliest.plusNanos(Math.floorMod(offset - earliest.getNano(), SECOND_NANOS));
        for (var now = Instant.now(); now.isBefore(end); now = Instant.now()) {
            LockSupport.parkNanos(Duration.between(now, end).toNanos());
        }
    }

    private void report(Percentiles slurm, Percentiles berth, double mean) {
        report.line("sbatch to first instruction", slurm.toString());
        report.line("Berth to first instruction", berth.toString());
        report.line(
                "added by Berth",
                "p50 %.1f ms, mean %.1f ms".formatted(berth.p(50) - slurm.p(50), mean));
    }

    private static double mean(double[] millis) {
        return Arrays.stream(millis).average().orElse(0);
    }

    static Path home(Path directory) throws IOException {
        var home = Files.createTempDirectory(directory, "berth-bench");
        Files.createDirectory(home.resolve("config"));
        Files.writeString(home.resolve("config/berth.yaml"), "engine: slurm\n");
        return home;
    }

    private static double berthStart(BenchServer.Client client, Path file) throws IOException {
        Files.deleteIfExists(file);
        var begin = Instant.now();
        long task = client.submit(recorded(file), "cpu", 0);
        double millis = millis(begin, awaitStart(file));
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
                                "--nodes=1",
                                "--ntasks=1",
                                "--output=" + home.resolve("floor.log"),
                                "--chdir=" + home,
                                script.toString()),
                        home.resolve("floor.out"));
        return millis(begin, awaitStart(file));
    }

    /** When the command began. The file appears as a whole. */
    static String recorded(Path file) {
        return "t=$EPOCHREALTIME; echo $t > %1$s.new; mv %1$s.new %1$s".formatted(file);
    }

    private static double millis(Instant from, Instant to) {
        return Duration.between(from, to).toNanos() / 1e6;
    }

    /** The time in the file. */
    static Instant awaitStart(Path file) throws IOException {
        long end = System.nanoTime() + START_NANOS;
        while (!Files.exists(file)) {
            if (System.nanoTime() > end) {
                throw new CommandFailure("no job started within a minute: see sinfo and squeue");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        var time = new BigDecimal(Files.readString(file).strip());
        return Instant.EPOCH.plusNanos(time.scaleByPowerOfTen(9).longValueExact());
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

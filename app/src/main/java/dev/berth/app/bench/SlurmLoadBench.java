package dev.berth.app.bench;

import dev.berth.cli.call.CommandFailure;
import dev.berth.node.linux.LocalAccounts;
import dev.berth.node.process.UserSwitch;
import dev.berth.port.read.Accounts.Account;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what Berth and Slurm's controller need while many jobs of other users wait in Slurm.
 * Root submits these jobs, held, and cancels them; Berth runs as another user.
 */
final class SlurmLoadBench {

    private static final Duration TIME = Duration.ofSeconds(30);
    private static final String JOB = "berth-bench-others";

    private final String launcher;
    private final BenchReport report;

    SlurmLoadBench(String launcher, BenchReport report) {
        this.launcher = launcher;
        this.report = report;
    }

    /**
     * @param others the number of jobs of others
     * @param user whose Berth is measured
     */
    void run(Path directory, int others, String user) throws IOException {
        var account = account(user);
        var home = SlurmBench.home(directory);
        give(home, account);
        var output = directory.resolve(home.getFileName() + ".out");
        try {
            submit(others, output);
            long alone = measure(controller(output));
            try (var server = BenchServer.startSlurm(UserSwitch.to(account), launcher, home);
                    var client = server.client()) {
                var file = home.resolve("first");
                long task = client.submit(SlurmBench.recorded(file) + "; sleep 3600", "cpu", 0);
                var _ = SlurmBench.awaitStart(file);
                var controller = controller(output);
                long controllerBefore = ticks(controller);
                long berthBefore = server.ticksWithChildren();
                long commandsBefore = berthBefore - server.ticks();
                LockSupport.parkNanos(TIME.toNanos());
                long berth = server.ticksWithChildren() - berthBefore;
                long commands = server.ticksWithChildren() - server.ticks() - commandsBefore;
                report.line(
                        "%,d jobs of others: Berth".formatted(others),
                        "%s of a core, of it %s Slurm's commands"
                                .formatted(percent(berth), percent(commands)));
                long beside = ticks(controller) - controllerBefore;
                report.line(
                        "%,d jobs of others: controller".formatted(others),
                        controller.isEmpty()
                                ? "is on another host"
                                : "%s of a core alone, %s with Berth"
                                        .formatted(percent(alone), percent(beside)));
                // The other connection was idle for too long.
                try (var last = server.client()) {
                    last.cancel(task);
                    last.awaitCancelled(task);
                }
            }
        } finally {
            command(output, "scancel", "--quiet", "--name=" + JOB);
            BenchReport.delete(home);
            Files.deleteIfExists(output);
        }
    }

    private static Account account(String user) throws IOException {
        try (var accounts = new LocalAccounts()) {
            return accounts.named(user)
                    .orElseThrow(() -> new CommandFailure("There is no account " + user + "."));
        }
    }

    private static void give(Path home, Account account) throws IOException {
        try (var files = Files.walk(home)) {
            for (var file : files.toList()) {
                Files.setAttribute(file, "unix:uid", account.uid());
                Files.setAttribute(file, "unix:gid", account.gid());
            }
        }
    }

    /** Each is a job of its own: Slurm keeps a waiting array as one. */
    private static void submit(int others, Path output) throws IOException {
        command(
                output,
                "bash",
                "-c",
                "seq %d | xargs -P 4 -I{} sbatch --hold --job-name=%s --output=/dev/null --chdir=/ --wrap=true"
                        .formatted(others, JOB));
    }

    private static void command(Path output, String... words) throws IOException {
        var command = new ArrayList<>(List.of("/usr/bin/env"));
        command.addAll(List.of(words));
        var _ = TimedCommand.run(command, output);
    }

    /** The process of the controller, if it is on this host. */
    private static OptionalLong controller(Path output) throws IOException {
        command(output, "scontrol", "show", "config");
        var file =
                Files.readAllLines(output).stream()
                        .filter(line -> line.startsWith("SlurmctldPidFile"))
                        .map(line -> Path.of(line.substring(line.indexOf('=') + 1).strip()))
                        .findFirst();
        try {
            return file.isPresent()
                    ? OptionalLong.of(Long.parseLong(Files.readString(file.get()).strip()))
                    : OptionalLong.empty();
        } catch (NoSuchFileException elsewhere) {
            return OptionalLong.empty();
        }
    }

    private static long measure(OptionalLong process) throws IOException {
        long before = ticks(process);
        LockSupport.parkNanos(TIME.toNanos());
        return ticks(process) - before;
    }

    private static long ticks(OptionalLong process) throws IOException {
        return process.isPresent() ? BenchServer.ticks(process.getAsLong(), false) : 0;
    }

    /** A tick is a hundredth of a second. */
    private static String percent(long ticks) {
        return "%.1f %%".formatted(ticks / (double) TIME.toSeconds());
    }
}

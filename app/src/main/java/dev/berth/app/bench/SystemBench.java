package dev.berth.app.bench;

import dev.berth.cli.call.CommandFailure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what it costs to run a task as its owner: the same starts on a personal server and on a
 * server of a machine, alternately in one run.
 */
final class SystemBench {

    private static final int WARM_UP = 300;
    private static final int ROUNDS = 5;
    private static final int STARTS = 60;

    /** The node has given back by then what the starts needed. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    /** Berth refuses a home that others can read. */
    private static final FileAttribute<?> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final String launcher;
    private final BenchReport report;

    SystemBench(String launcher, BenchReport report) {
        this.launcher = launcher;
        this.report = report;
    }

    /**
     * @param owner the account that the tasks run as
     */
    void run(Path directory, String owner) throws IOException {
        if (!System.getProperty("user.name").equals("root")) {
            throw new CommandFailure("A node runs as root: sudo berth bench system");
        }
        var root = Files.createTempDirectory(directory, "berth-bench");
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        var home = Files.createDirectory(root.resolve("home"), PRIVATE);
        var file = Files.createFile(root.resolve("first"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        try (var personal = BenchServer.start(launcher, home);
                var system = BenchServer.startSystem(launcher, root.resolve("state"), owner);
                var personalClient = personal.client();
                var systemClient = system.client()) {
            StartBench.starts(personalClient, file, WARM_UP);
            StartBench.starts(systemClient, file, WARM_UP);
            var own = new double[ROUNDS];
            var asOwner = new double[ROUNDS];
            for (int i = 0; i < ROUNDS; i++) {
                own[i] = StartBench.starts(personalClient, file, STARTS).p(50);
                asOwner[i] = StartBench.starts(systemClient, file, STARTS).p(50);
            }
            double before = Percentiles.of(own).p(50);
            double after = Percentiles.of(asOwner).p(50);
            report.line("personal: submit to first instruction", "p50 %.1f ms".formatted(before));
            report.line("system: submit to first instruction", "p50 %.1f ms".formatted(after));
            report.line("difference", "%.1f ms".formatted(after - before));
            report.line("memory of the node", system.residentMib() + " MiB");
            LockSupport.parkNanos(IDLE.toNanos());
            report.line("the same, idle", system.residentMib() + " MiB");
        } finally {
            BenchReport.delete(root);
        }
    }
}

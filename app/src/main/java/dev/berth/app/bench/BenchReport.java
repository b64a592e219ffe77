package dev.berth.app.bench;

import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Spawner;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Prints one line per figure, and takes the measurements that all benchmarks share. */
record BenchReport(PrintStream out) {

    private static final int CALLS = 20;

    /**
     * The JIT compiler is still busy with the load before; an idle server is measured after this
     * time.
     */
    private static final Duration SETTLING = Duration.ofSeconds(15);

    private static final Duration IDLE = Duration.ofSeconds(20);

    void line(String what, String value) {
        out.printf("%-30s %s%n", what, value);
        out.flush();
    }

    /** How long {@code berth ls} takes, measured from outside. */
    Percentiles measureCalls(String launcher, Path home) throws IOException {
        return measureCalls(launcher, home, List.of("ls"));
    }

    /** How long a call of {@code berth} with these arguments takes, measured from outside. */
    Percentiles measureCalls(String launcher, Path home, List<String> words) throws IOException {
        var spawner = Spawner.forThisHost();
        var command = new ArrayList<>(List.of("/usr/bin/env", "bash", launcher));
        command.addAll(List.of("--home", home.toString()));
        command.addAll(words);
        var millis = new double[CALLS];
        for (int i = 0; i < CALLS; i++) {
            long begin = System.nanoTime();
            long pid =
                    spawner.spawn(
                                    new Spawner.SpawnRequest(
                                            command, home.resolve("ls.out"), Optional.empty()))
                            .pid();
            while (ChildProcess.reap(pid).orElseThrow() instanceof ChildProcess.Status.Running) {
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
            }
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        return Percentiles.of(millis);
    }

    /** Memory and CPU of the server without requests. */
    void measureIdle(BenchServer server) throws IOException {
        pause(SETTLING);
        long before = server.ticks();
        pause(IDLE);
        double percent = (server.ticks() - before) / (double) IDLE.toSeconds();
        line("idle", "%d MiB resident, %.1f %% of a core".formatted(server.residentMib(), percent));
    }

    private static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    static void delete(Path home) throws IOException {
        try (var tree = Files.walk(home)) {
            for (var path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}

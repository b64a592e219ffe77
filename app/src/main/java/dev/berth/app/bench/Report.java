package dev.berth.app.bench;

import dev.berth.node.linux.Child;
import dev.berth.node.linux.Spawner;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A line for each figure, and the figures that every benchmark takes. */
record Report(PrintStream out) {

    private static final int CALLS = 20;

    /** What it had to do before is not what it does at rest: its compiler is still busy with it. */
    private static final Duration SETTLING = Duration.ofSeconds(15);

    private static final Duration IDLE = Duration.ofSeconds(20);

    void line(String what, String value) {
        out.printf("%-30s %s%n", what, value);
        out.flush();
    }

    /** How long {@code berth ls} takes, from the shell's side. */
    Spread calls(String launcher, Path home) throws IOException {
        var spawner = Spawner.ofThisMachine();
        var command = List.of("/usr/bin/env", "bash", launcher, "ls", "--home", home.toString());
        var millis = new double[CALLS];
        for (int i = 0; i < CALLS; i++) {
            long begin = System.nanoTime();
            long pid =
                    spawner.spawn(
                                    new Spawner.Order(
                                            command, home.resolve("ls.out"), Optional.empty()))
                            .pid();
            while (Child.reap(pid).orElseThrow() instanceof Child.Status.Running) {
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
            }
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        return Spread.of(millis);
    }

    /** What the server takes while nobody asks anything of it. */
    void idle(BenchServer server) throws IOException {
        rest(SETTLING);
        long before = server.ticks();
        rest(IDLE);
        double percent = (server.ticks() - before) / (double) IDLE.toSeconds();
        line("idle", "%d MiB resident, %.1f %% of a core".formatted(server.residentMib(), percent));
    }

    private static void rest(Duration time) {
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

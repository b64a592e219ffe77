package dev.berth.app.bench;

import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Spawner;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The baseline: the cost of starting and reaping {@code bash -c true} on this machine without
 * Berth.
 */
final class ProcessBaseline {

    private static final List<String> COMMAND = List.of("/bin/bash", "-c", "true");
    private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final Spawner spawner = Spawner.forThisHost();
    private final Path log;

    ProcessBaseline(Path log) {
        this.log = log;
    }

    /** Runs one process after another. */
    Percentiles sequential(int count) throws IOException {
        var millis = new double[count];
        for (int i = 0; i < count; i++) {
            long begin = System.nanoTime();
            await(spawn());
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        return Percentiles.of(millis);
    }

    /** Keeps {@code width} processes running; returns processes per second. */
    double concurrent(int width, int count) throws IOException {
        long begin = System.nanoTime();
        var running = new ArrayList<Long>();
        for (int started = 0; started < count || !running.isEmpty(); ) {
            while (running.size() < width && started < count) {
                running.add(spawn());
                started++;
            }
            boolean none = true;
            for (var pids = running.iterator(); pids.hasNext(); ) {
                if (!(ChildProcess.reap(pids.next()).orElseThrow()
                        instanceof ChildProcess.Status.Running)) {
                    pids.remove();
                    none = false;
                }
            }
            if (none) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
        return count / ((System.nanoTime() - begin) / 1e9);
    }

    private long spawn() throws IOException {
        return spawner.spawn(new Spawner.SpawnRequest(COMMAND, log, Optional.empty())).pid();
    }

    private static void await(long pid) throws IOException {
        while (ChildProcess.reap(pid).orElseThrow() instanceof ChildProcess.Status.Running) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}

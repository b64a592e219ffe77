package dev.berth.app.bench;

import dev.berth.node.linux.Child;
import dev.berth.node.linux.Spawner;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What starting and ending {@code bash -c true} costs here without any Berth around it. */
final class Floor {

    private static final List<String> COMMAND = List.of("/bin/bash", "-c", "true");
    private static final long LOOK_EVERY_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final Spawner spawner = Spawner.ofThisMachine();
    private final Path log;

    Floor(Path log) {
        this.log = log;
    }

    /** One after another. */
    Spread single(int count) throws IOException {
        var millis = new double[count];
        for (int i = 0; i < count; i++) {
            long begin = System.nanoTime();
            await(spawn());
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        return Spread.of(millis);
    }

    /** Always {@code width} at a time; how many a second. */
    double sideBySide(int width, int count) throws IOException {
        long begin = System.nanoTime();
        var running = new ArrayList<Long>();
        for (int started = 0; started < count || !running.isEmpty(); ) {
            while (running.size() < width && started < count) {
                running.add(spawn());
                started++;
            }
            boolean none = true;
            for (var pids = running.iterator(); pids.hasNext(); ) {
                if (!(Child.reap(pids.next()).orElseThrow() instanceof Child.Status.Running)) {
                    pids.remove();
                    none = false;
                }
            }
            if (none) {
                LockSupport.parkNanos(LOOK_EVERY_NANOS);
            }
        }
        return count / ((System.nanoTime() - begin) / 1e9);
    }

    private long spawn() throws IOException {
        return spawner.spawn(new Spawner.Order(COMMAND, log, Optional.empty())).pid();
    }

    private static void await(long pid) throws IOException {
        while (Child.reap(pid).orElseThrow() instanceof Child.Status.Running) {
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }
}

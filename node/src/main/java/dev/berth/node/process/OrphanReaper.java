package dev.berth.node.process;

import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.ChildSubreaper;
import dev.berth.node.linux.SmallFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Makes this process the parent of the orphans that tasks leave, so that a process is known to come
 * from a task even if it removed its marker and left its session. Reaps those that have ended.
 */
public final class OrphanReaper implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(OrphanReaper.class);

    private static final long INTERVAL_SECONDS = 1;
    private static final int MAX_LIST_BYTES = 1 << 20;

    private final long self = ProcessHandle.current().pid();
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("orphans").daemon().factory());

    /** Zombies of the last round. A child that the JDK started is reaped by the JDK at once. */
    private Set<Long> before = Set.of();

    private OrphanReaper() {}

    public static OrphanReaper start() throws IOException {
        ChildSubreaper.become();
        var reaper = new OrphanReaper();
        var _ =
                reaper.thread.scheduleWithFixedDelay(
                        reaper::reap, INTERVAL_SECONDS, INTERVAL_SECONDS, TimeUnit.SECONDS);
        return reaper;
    }

    private void reap() {
        try {
            var zombies = new HashSet<Long>();
            for (long pid : children()) {
                if (isZombieOfTask(pid)) {
                    zombies.add(pid);
                    if (before.contains(pid)) {
                        var _ = ChildProcess.reap(pid);
                    }
                }
            }
            before = zombies;
        } catch (IOException | RuntimeException failure) {
            log.warn("orphans of tasks are not reaped: {}", failure.toString());
        }
    }

    /** A shim has the node's own user and is reaped when its end was reported. */
    private static boolean isZombieOfTask(long pid) throws IOException {
        var stat = Proc.statIfVisible(pid);
        return stat.isPresent()
                && !stat.get().isAlive()
                && Proc.userId(pid).filter(user -> user != 0).isPresent();
    }

    /** The kernel gives orphans to the first thread of this process. */
    private Set<Long> children() throws IOException {
        var list = SmallFile.read("/proc/" + self + "/task/" + self + "/children", MAX_LIST_BYTES);
        var pids = new HashSet<Long>();
        for (var pid : new String(list, StandardCharsets.US_ASCII).split(" ", -1)) {
            if (!pid.isBlank()) {
                pids.add(Long.valueOf(pid.strip()));
            }
        }
        return pids;
    }

    @Override
    public void close() throws IOException {
        thread.shutdownNow();
        ChildSubreaper.resign();
    }
}

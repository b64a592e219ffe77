package dev.berth.node;

import dev.berth.node.disk.DiskSpace;
import dev.berth.node.disk.DiskSpaceMonitor;
import dev.berth.node.log.LogCapMonitor;
import dev.berth.node.log.LogLimits;
import dev.berth.port.Fact;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps the disk from filling up: keeps logs under their cap, and reports to the engine when free
 * space is low.
 */
final class StorageMonitor implements AutoCloseable {

    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);
    private static final long MIB = 1L << 20;
    private static final long HEAD_MIB = 8;

    private final LogCapMonitor logs;
    private final DiskSpaceMonitor disk;
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("disk").daemon().factory());

    StorageMonitor(LocalNode.NodeSettings settings, Consumer<Fact> facts) {
        long cap = settings.logCapMib();
        this.logs =
                LogCapMonitor.start(new LogLimits(cap * MIB, Math.min(HEAD_MIB, cap / 4) * MIB));
        this.disk =
                new DiskSpaceMonitor(
                        () -> DiskSpace.of(settings.tasksDirectory()),
                        change -> {
                            logs.setSpaceLow(change.areBytesLow());
                            facts.accept(
                                    new Fact.DiskSpaceRead(
                                            settings.name(),
                                            change.isLow(),
                                            change.freeBytes() / MIB,
                                            freeInodes(change)));
                        });
    }

    private static OptionalLong freeInodes(DiskSpaceMonitor.SpaceChange change) {
        return change.inodes().total() == 0
                ? OptionalLong.empty()
                : OptionalLong.of(change.inodes().free());
    }

    void start() {
        var _ =
                scheduler.scheduleWithFixedDelay(
                        disk::checkRepeatedly, 0, CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Keeps this log under its cap until the returned handle is closed. */
    LogCapMonitor.CappedLog capLog(Path logFile) {
        return logs.watch(logFile);
    }

    @Override
    public void close() throws IOException {
        scheduler.shutdownNow();
        logs.close();
    }
}

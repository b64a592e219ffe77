package dev.berth.node;

import dev.berth.engine.port.Fact;
import dev.berth.node.disk.DiskSpace;
import dev.berth.node.disk.DiskWatch;
import dev.berth.node.log.LogKeeper;
import dev.berth.node.log.LogLimits;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps the disk from filling up: logs under their cap, and word to the engine when space is low
 * all the same.
 */
final class Housekeeping implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Housekeeping.class);

    private static final Duration LOOK_EVERY = Duration.ofMillis(500);
    private static final long MIB = 1L << 20;
    private static final long HEAD_MIB = 8;

    private final LogKeeper logs;
    private final DiskWatch disk;
    private final ScheduledExecutorService looks =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("disk").daemon().factory());

    Housekeeping(LocalNode.Settings settings, Consumer<Fact> facts) {
        long cap = settings.logCapMib();
        this.logs = LogKeeper.start(new LogLimits(cap * MIB, Math.min(HEAD_MIB, cap / 4) * MIB));
        this.disk =
                new DiskWatch(
                        () -> DiskSpace.of(settings.tasks()),
                        change -> {
                            logs.spaceIsLow(change.isLow());
                            facts.accept(
                                    new Fact.DiskSpace(
                                            settings.name(),
                                            change.isLow(),
                                            change.freeBytes() / MIB));
                        });
    }

    void start() {
        var _ =
                looks.scheduleWithFixedDelay(
                        this::look, 0, LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            var _ = disk.check();
        } catch (IOException | RuntimeException failure) {
            log.warn("disk space cannot be read: {}", failure.toString());
        }
    }

    /** Keeps this log under its cap until the answer is closed. */
    LogKeeper.Kept tend(Path logFile) {
        return logs.keep(logFile);
    }

    @Override
    public void close() throws IOException {
        looks.shutdownNow();
        logs.close();
    }
}

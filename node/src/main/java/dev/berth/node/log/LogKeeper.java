package dev.berth.node.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps the logs of all running attempts under their cap: one thread that looks at each as often as
 * it must.
 */
public final class LogKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogKeeper.class);
    private static final Duration IDLE = Duration.ofMillis(250);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private final LogLimits limits;
    private final Map<Path, Kept> logs = new ConcurrentHashMap<>();
    private final AtomicBoolean isUnsupportedTold = new AtomicBoolean();
    private final Thread thread = Thread.ofPlatform().name("logs").daemon().unstarted(this::run);
    private volatile boolean isSpaceLow;
    private volatile boolean isClosed;

    private LogKeeper(LogLimits limits) {
        this.limits = limits;
    }

    public static LogKeeper start(LogLimits limits) {
        var keeper = new LogKeeper(limits);
        keeper.thread.start();
        return keeper;
    }

    /**
     * From now on, until the answer is closed. The first look comes a moment later, so that a task
     * that is over by then costs nothing.
     */
    public Kept keep(Path log) {
        var kept = new Kept(log);
        logs.put(log, kept);
        return kept;
    }

    /** While it is low, logs are cut to the tightest limits at once. */
    public void spaceIsLow(boolean isLow) {
        if (isSpaceLow != isLow) {
            isSpaceLow = isLow;
            logs.values().forEach(kept -> kept.isUrgent = isLow);
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        while (!isClosed) {
            var next = System.nanoTime() + IDLE.toNanos();
            for (var kept : logs.values()) {
                if (kept.isUrgent || kept.next - System.nanoTime() <= 0) {
                    kept.look();
                }
                next = Math.min(next, kept.next);
            }
            LockSupport.parkNanos(Math.max(next - System.nanoTime(), 1));
        }
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        LockSupport.unpark(thread);
        for (var kept : logs.values()) {
            kept.close();
        }
    }

    /** A log that is being kept. */
    public final class Kept implements AutoCloseable {
        private final Path log;
        private volatile boolean isUrgent;
        private @Nullable LogCap cap;
        private boolean isDone;
        private volatile long next = System.nanoTime() + IDLE.toNanos();

        private Kept(Path log) {
            this.log = log;
        }

        private synchronized void look() {
            if (isDone) {
                return;
            }
            isUrgent = false;
            next = System.nanoTime() + check().toNanos();
        }

        private Duration check() {
            try {
                if (cap == null) {
                    cap = LogCap.open(log);
                }
                return cap.check(isSpaceLow ? limits.tightened() : limits, System.nanoTime());
            } catch (UnsupportedOperationException unsupported) {
                if (isUnsupportedTold.compareAndSet(false, true)) {
                    LOG.warn("{}", unsupported.getMessage());
                }
            } catch (IOException failure) {
                LOG.warn("the log {} could not be kept under its cap", log, failure);
            }
            return AFTER_FAILURE;
        }

        /** Looks a last time, where it may matter, and lets go of it. */
        @Override
        public synchronized void close() throws IOException {
            if (isDone) {
                return;
            }
            isDone = true;
            logs.remove(log, this);
            if (cap != null || (Files.exists(log) && Files.size(log) > limits.cap())) {
                check();
            }
            if (cap != null) {
                cap.close();
            }
        }
    }
}

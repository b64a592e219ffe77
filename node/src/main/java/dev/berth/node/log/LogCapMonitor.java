package dev.berth.node.log;

import dev.berth.node.linux.RegularFile;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps the logs of all running attempts under their cap. One thread checks each log as often as
 * its growth requires.
 */
public final class LogCapMonitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogCapMonitor.class);
    private static final Duration IDLE = Duration.ofMillis(250);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private final LogLimits limits;
    private final Map<Path, CappedLog> logs = new ConcurrentHashMap<>();
    private final AtomicBoolean isUnsupportedLogged = new AtomicBoolean();
    private final Thread thread = Thread.ofPlatform().name("logs").daemon().unstarted(this::run);
    private volatile boolean isSpaceLow;
    private volatile boolean isClosed;

    private LogCapMonitor(LogLimits limits) {
        this.limits = limits;
    }

    public static LogCapMonitor start(LogLimits limits) {
        var monitor = new LogCapMonitor(limits);
        monitor.thread.start();
        return monitor;
    }

    /**
     * Keeps this log under its cap until the returned handle is closed. The first check comes a
     * moment later, so that a very short task costs nothing.
     */
    public CappedLog watch(Path log) {
        var cappedLog = new CappedLog(log);
        logs.put(log, cappedLog);
        return cappedLog;
    }

    /** While space is low, logs are cut to the tightest limits immediately. */
    public void setSpaceLow(boolean isLow) {
        if (isSpaceLow != isLow) {
            isSpaceLow = isLow;
            logs.values().forEach(cappedLog -> cappedLog.isUrgent = isLow);
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        while (!isClosed) {
            var next = System.nanoTime() + IDLE.toNanos();
            for (var cappedLog : logs.values()) {
                if (cappedLog.isUrgent || cappedLog.next - System.nanoTime() <= 0) {
                    cappedLog.look();
                }
                next = Math.min(next, cappedLog.next);
            }
            LockSupport.parkNanos(Math.max(next - System.nanoTime(), 1));
        }
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        LockSupport.unpark(thread);
        for (var cappedLog : logs.values()) {
            cappedLog.close();
        }
    }

    public final class CappedLog implements AutoCloseable {
        private final Path log;
        private volatile boolean isUrgent;
        private @Nullable LogCap cap;
        private EndReportCap report = EndReportCap.NONE;
        private boolean isDone;
        private boolean isAbsenceLogged;
        private volatile long next = System.nanoTime() + IDLE.toNanos();

        private CappedLog(Path log) {
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
                if (report.file().isEmpty()) {
                    // The shim creates it only just before the command.
                    report = EndReportCap.open(log);
                }
                report.check();
                return cap.check(isSpaceLow ? limits.tightened() : limits, System.nanoTime());
            } catch (UnsupportedOperationException unsupported) {
                if (isUnsupportedLogged.compareAndSet(false, true)) {
                    LOG.warn("{}", unsupported.getMessage());
                }
            } catch (NoSuchFileException | RegularFile.NotRegularFileException replaced) {
                if (!isAbsenceLogged) {
                    isAbsenceLogged = true;
                    LOG.warn("the log {} was removed or replaced by its task", log);
                }
            } catch (IOException failure) {
                LOG.warn("the log {} could not be kept under its cap", log, failure);
            }
            return AFTER_FAILURE;
        }

        /** Checks the log a last time if it may be too large, and closes it. */
        @Override
        public synchronized void close() throws IOException {
            if (isDone) {
                return;
            }
            isDone = true;
            logs.remove(log, this);
            if (cap != null || LogEndText.sizeOf(log) > limits.capBytes()) {
                check();
            }
            report.close();
            if (cap != null) {
                cap.close();
            }
        }
    }
}

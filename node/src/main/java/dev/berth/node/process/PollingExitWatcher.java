package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.ChildProcess;
import dev.berth.node.linux.Connection;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** For kernels before 5.3: polls {@code /proc}. */
final class PollingExitWatcher implements ExitWatcher {
    private static final Logger LOG = LoggerFactory.getLogger(PollingExitWatcher.class);

    private static final long SELF = ProcessHandle.current().pid();

    private final Duration interval;
    private final Set<Polled> watches = ConcurrentHashMap.newKeySet();
    private final Thread thread = Thread.ofPlatform().name("exits").daemon().unstarted(this::run);
    private volatile boolean isClosed;

    PollingExitWatcher(Duration interval) {
        this.interval = interval;
        thread.start();
    }

    @Override
    public boolean isPolling() {
        return true;
    }

    @Override
    public Watch watch(ProcessKey process, Consumer<ProcessEnd> onEnd) throws IOException {
        var polled = new Polled(process, onEnd);
        watches.add(polled);
        return polled;
    }

    /** Without pidfds no process is connected. */
    @Override
    public Watch listen(Connection connection, Consumer<Byte> onMessage) {
        throw new UnsupportedOperationException("no messages without pidfds");
    }

    private void run() {
        while (!isClosed) {
            for (var polled : watches) {
                try {
                    polled.check();
                } catch (IOException | RuntimeException failure) {
                    LOG.error("checking process {} failed", polled.process, failure);
                }
            }
            LockSupport.parkNanos(interval.toNanos());
        }
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        LockSupport.unpark(thread);
        for (var polled : watches) {
            polled.close();
        }
    }

    private final class Polled implements Watch {
        private final ProcessKey process;
        private final Consumer<ProcessEnd> onEnd;

        /**
         * A child keeps its pid until it is reaped. The pid of any other process may by now belong
         * to another child of ours, which must not be reaped here.
         */
        private final boolean isChild;

        private final AtomicBoolean isReported = new AtomicBoolean();

        Polled(ProcessKey process, Consumer<ProcessEnd> onEnd) throws IOException {
            this.process = process;
            isChild = Proc.stat(process.pid()).filter(stat -> stat.parent() == SELF).isPresent();
            this.onEnd = onEnd;
        }

        /** A failed check is not an end. */
        private void check() throws IOException {
            if (Proc.liveness(process) == Liveness.GONE && isReported.compareAndSet(false, true)) {
                onEnd.accept(
                        ChildStatusMapping.of(
                                isChild ? ChildProcess.status(process.pid()) : Optional.empty()));
            }
        }

        @Override
        public void close() throws IOException {
            isReported.set(true);
            if (watches.remove(this) && isChild) {
                ChildProcess.reap(process.pid());
            }
        }
    }
}

package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Child;

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

/** For kernels before 5.3: looks at {@code /proc} once in a while. */
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
    public Watch watch(ProcessKey process, Consumer<End> onEnd) throws IOException {
        var polled = new Polled(process, onEnd);
        watches.add(polled);
        return polled;
    }

    private void run() {
        while (!isClosed) {
            for (var polled : watches) {
                try {
                    polled.look();
                } catch (IOException | RuntimeException failure) {
                    LOG.error("looking after process {} failed", polled.process, failure);
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
        private final Consumer<End> onEnd;

        /** Its pid is taken until we reap it; a stranger's may be another child's by then. */
        private final boolean isChild;

        private final AtomicBoolean isTold = new AtomicBoolean();

        Polled(ProcessKey process, Consumer<End> onEnd) throws IOException {
            this.process = process;
            isChild = Proc.stat(process.pid()).filter(stat -> stat.parent() == SELF).isPresent();
            this.onEnd = onEnd;
        }

        /** A look that fails is not an end. */
        private void look() throws IOException {
            if (Proc.liveness(process) == Liveness.GONE && isTold.compareAndSet(false, true)) {
                onEnd.accept(Ends.of(isChild ? Child.look(process.pid()) : Optional.empty()));
            }
        }

        @Override
        public void close() throws IOException {
            isTold.set(true);
            if (watches.remove(this) && isChild) {
                Child.reap(process.pid());
            }
        }
    }
}

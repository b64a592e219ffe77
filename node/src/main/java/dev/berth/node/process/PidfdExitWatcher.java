package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Connection;
import dev.berth.node.linux.Epoll;
import dev.berth.node.linux.Pidfd;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Waits for the kernel's notification: one thread waits on the pidfds of all watched processes. */
final class PidfdExitWatcher implements ExitWatcher {
    private static final Logger LOG = LoggerFactory.getLogger(PidfdExitWatcher.class);

    private final Epoll epoll;
    private final Map<Long, Held> watches = new ConcurrentHashMap<>();
    private final AtomicLong tokens = new AtomicLong();
    private final Thread thread = Thread.ofPlatform().name("exits").daemon().unstarted(this::run);
    private volatile boolean isClosed;

    private PidfdExitWatcher(Epoll epoll) {
        this.epoll = epoll;
    }

    static PidfdExitWatcher open() throws IOException {
        var watcher = new PidfdExitWatcher(Epoll.open());
        watcher.thread.start();
        return watcher;
    }

    @Override
    public boolean isPolling() {
        return false;
    }

    @Override
    public Watch watch(ProcessKey process, Consumer<ProcessEnd> onEnd) throws IOException {
        var pidfd = Pidfd.open(process.pid());
        if (pidfd.isEmpty()) {
            onEnd.accept(new ProcessEnd.Unknown());
            return () -> {};
        }
        boolean isWatched = false;
        try {
            // Open first, check then: the process that the check confirms is the one we hold.
            if (!isStill(process)) {
                onEnd.accept(new ProcessEnd.Unknown());
                return () -> {};
            }
            var held = new HeldPidfd(process, pidfd.get(), onEnd);
            // An event before the next line comes again: the pidfd stays readable.
            epoll.add(held.pidfd, held.token);
            watches.put(held.token, held);
            isWatched = true;
            return held;
        } finally {
            if (!isWatched) {
                pidfd.get().close();
            }
        }
    }

    @Override
    public Watch listen(Connection connection, Consumer<Byte> onMessage) throws IOException {
        var held = new HeldConnection(connection, onMessage);
        watches.put(held.token, held);
        epoll.add(connection, held.token);
        return held;
    }

    private static boolean isStill(ProcessKey process) throws IOException {
        return process.bootId().equals(Proc.bootId())
                && Proc.stat(process.pid())
                        .filter(stat -> stat.startTick() == process.startTick())
                        .isPresent();
    }

    private void run() {
        while (!isClosed) {
            try {
                epoll.await(this::report);
            } catch (IOException failure) {
                if (!isClosed) {
                    throw new IllegalStateException(
                            "the end of processes is no longer detected", failure);
                }
            }
        }
    }

    private void report(long token) {
        var held = token == Epoll.WOKEN ? null : watches.get(token);
        if (held != null) {
            try {
                held.report();
            } catch (IOException | RuntimeException failure) {
                LOG.error("{} was detected, but reporting it failed", held, failure);
            }
        }
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        epoll.wake();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        for (var held : watches.values()) {
            held.close();
        }
        epoll.close();
    }

    /** What the thread waits for. */
    private interface Held extends Watch {
        void report() throws IOException;
    }

    private final class HeldConnection implements Held {
        private final long token = tokens.incrementAndGet();
        private final Connection connection;
        private final Consumer<Byte> onMessage;

        HeldConnection(Connection connection, Consumer<Byte> onMessage) {
            this.connection = connection;
            this.onMessage = onMessage;
        }

        @Override
        public synchronized void report() throws IOException {
            if (watches.containsKey(token)) {
                var message = connection.receive();
                if (message.isEmpty()) {
                    // The end of the connection would wake the thread again and again.
                    close();
                }
                message.ifPresent(onMessage);
            }
        }

        @Override
        public synchronized void close() throws IOException {
            if (watches.remove(token) != null) {
                epoll.remove(connection);
            }
        }

        @Override
        public String toString() {
            return "a message";
        }
    }

    private final class HeldPidfd implements Held {
        private final long token = tokens.incrementAndGet();
        private final ProcessKey process;
        private final Pidfd pidfd;
        private final Consumer<ProcessEnd> onEnd;
        private boolean isReported;
        private boolean isReleased;

        HeldPidfd(ProcessKey process, Pidfd pidfd, Consumer<ProcessEnd> onEnd) {
            this.process = process;
            this.pidfd = pidfd;
            this.onEnd = onEnd;
        }

        @Override
        public synchronized void report() throws IOException {
            if (!isReported) {
                isReported = true;
                // The pidfd of an ended process stays readable and would wake the thread again and
                // again.
                epoll.remove(pidfd);
                onEnd.accept(ChildStatusMapping.of(pidfd.status()));
            }
        }

        @Override
        public synchronized void close() throws IOException {
            if (isReleased) {
                return;
            }
            isReleased = true;
            watches.remove(token);
            if (!isReported) {
                isReported = true;
                epoll.remove(pidfd);
            }
            pidfd.reap();
            pidfd.close();
        }

        @Override
        public String toString() {
            return "the end of process " + process;
        }
    }
}

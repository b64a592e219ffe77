package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Connection;
import dev.berth.node.linux.Pidfd;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Reports the end and the message of processes, whether they are children of this process or not.
 */
public interface ExitWatcher extends AutoCloseable {

    /**
     * Calls {@code onEnd} once, as soon as the process has ended, possibly before this method
     * returns. The call must not block its thread. A child stays a zombie until the watch is
     * closed, so that the kernel does not reuse its pid or its session id meanwhile.
     */
    Watch watch(ProcessKey process, Consumer<ProcessEnd> onEnd) throws IOException;

    /**
     * Calls {@code onMessage} with each byte that the other process sends. The call must not block
     * its thread.
     */
    Watch listen(Connection connection, Consumer<Byte> onMessage) throws IOException;

    /** True if ends are detected only by polling, because the kernel has no pidfds. */
    boolean isPolling();

    @Override
    void close() throws IOException;

    static ExitWatcher start() throws IOException {
        return Pidfd.isSupported()
                ? PidfdExitWatcher.open()
                : new PollingExitWatcher(Duration.ofSeconds(1));
    }

    /** The registration of one process. */
    interface Watch extends AutoCloseable {

        /** No call follows after this, and a child that has ended is reaped. */
        @Override
        void close() throws IOException;
    }

    /** How a process ended. */
    sealed interface ProcessEnd {
        record Exited(int code) implements ProcessEnd {}

        record Signalled(int signal) implements ProcessEnd {}

        /** It was not our child, so the kernel reported its status to another process. */
        record Unknown() implements ProcessEnd {}
    }
}

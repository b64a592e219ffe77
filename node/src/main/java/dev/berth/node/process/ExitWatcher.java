package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.Pidfd;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/** Tells when processes end, children of this one and others alike. */
public interface ExitWatcher extends AutoCloseable {

    /**
     * Calls {@code onEnd} once, in a thread that must not be kept, as soon as the process has
     * ended, which may be before this returns. A child stays a zombie until the watch is closed, so
     * that its pid, and the number of its session, are not given to another meanwhile.
     */
    Watch watch(ProcessKey process, Consumer<End> onEnd) throws IOException;

    /** Ends are noticed only by looking once in a while, because the kernel has no pidfds. */
    boolean isPolling();

    @Override
    void close() throws IOException;

    static ExitWatcher start() throws IOException {
        return Pidfd.supported()
                ? PidfdExitWatcher.open()
                : new PollingExitWatcher(Duration.ofSeconds(1));
    }

    /** Interest in one process. */
    interface Watch extends AutoCloseable {

        /** No call comes after this, and an ended child is let go of. */
        @Override
        void close() throws IOException;
    }

    /** How a process ended. */
    sealed interface End {
        record Exited(int code) implements End {}

        record Signalled(int signal) implements End {}

        /** It was not our child, so that the kernel told somebody else. */
        record Untold() implements End {}
    }
}

package dev.berth.node.process;

import dev.berth.node.linux.ChildProcess;
import dev.berth.node.process.ExitWatcher.ProcessEnd;

import java.util.Optional;

/** Converts the kernel's exit status into the result of an exit watcher. */
final class ChildStatusMapping {
    private ChildStatusMapping() {}

    /**
     * @param status of a process that is known to have ended
     */
    static ProcessEnd of(Optional<ChildProcess.Status> status) {
        if (status.isEmpty()) {
            return new ProcessEnd.Unknown();
        }
        return switch (status.get()) {
            case ChildProcess.Status.Exited(int code) -> new ProcessEnd.Exited(code);
            case ChildProcess.Status.Signalled(int signal) -> new ProcessEnd.Signalled(signal);
            case ChildProcess.Status.Running _ -> new ProcessEnd.Unknown();
        };
    }
}

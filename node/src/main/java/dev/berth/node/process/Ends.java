package dev.berth.node.process;

import dev.berth.node.linux.Child;
import dev.berth.node.process.ExitWatcher.End;

import java.util.Optional;

/** From what the kernel tells a parent to what a watcher tells. */
final class Ends {
    private Ends() {}

    /**
     * @param status of a process that is known to have ended
     */
    static End of(Optional<Child.Status> status) {
        if (status.isEmpty()) {
            return new End.Untold();
        }
        return switch (status.get()) {
            case Child.Status.Exited(int code) -> new End.Exited(code);
            case Child.Status.Signalled(int signal) -> new End.Signalled(signal);
            case Child.Status.Running _ -> new End.Untold();
        };
    }
}

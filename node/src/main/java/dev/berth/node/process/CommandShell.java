package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.ErrnoException;
import dev.berth.node.linux.SmallFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** The shell that runs an attempt's command: the only process that its shim starts. */
public final class CommandShell {
    private static final int CHILDREN_BYTES = 4096;

    private CommandShell() {}

    /**
     * Empty before the shell has started, after it has ended, and if {@code /proc} cannot be read.
     */
    public static OptionalLong of(ProcessKey shim) {
        try {
            var child = child(shim.pid());
            return Proc.liveness(shim) == Liveness.ALIVE ? child : OptionalLong.empty();
        } catch (IOException unreadable) {
            return OptionalLong.empty();
        }
    }

    private static OptionalLong child(long parent) throws IOException {
        try {
            var list =
                    SmallFile.read(
                            "/proc/" + parent + "/task/" + parent + "/children", CHILDREN_BYTES);
            var first = new String(list, StandardCharsets.US_ASCII).split(" ", 2)[0];
            return first.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(first));
        } catch (ErrnoException refused) {
            if (refused.errno() != ErrnoException.ENOENT) {
                throw refused;
            }
            // Not every kernel is built with the children file. Without it, all processes have to
            // be searched.
            return ProcessHandle.of(parent).stream()
                    .flatMap(ProcessHandle::children)
                    .mapToLong(ProcessHandle::pid)
                    .min();
        }
    }
}

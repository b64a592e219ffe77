package dev.berth.node.process;

import dev.berth.core.task.ProcessKey;
import dev.berth.node.linux.NumberedEntries;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Finds a process by its command line. Slow, and reliable only if the command line is unique; used
 * when no better identification is left.
 */
public final class CommandSearch {

    private CommandSearch() {}

    /** A living process of this user with exactly this command line. */
    public static Optional<ProcessKey> find(List<String> command) throws IOException {
        var wanted = bytes(command);
        var self = Proc.userId(ProcessHandle.current().pid());
        var pids = new ArrayList<Long>();
        NumberedEntries.list("/proc", (pid, inode) -> pids.add(pid));
        for (var pid : pids) {
            if (Arrays.equals(wanted, commandLine(pid)) && Proc.userId(pid).equals(self)) {
                var key = Proc.key(Proc.bootId(), pid);
                if (key.isPresent() && Proc.liveness(key.get()) == Liveness.ALIVE) {
                    return key;
                }
            }
        }
        return Optional.empty();
    }

    /** True if this process has exactly this command line. */
    public static boolean matches(long pid, List<String> command) {
        return Arrays.equals(bytes(command), commandLine(pid));
    }

    private static byte[] bytes(List<String> command) {
        return (String.join("\0", command) + "\0").getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] commandLine(long pid) {
        try {
            return Files.readAllBytes(Path.of("/proc", Long.toString(pid), "cmdline"));
        } catch (IOException gone) {
            return new byte[0];
        }
    }
}

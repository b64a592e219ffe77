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
 * Finds a process by the arguments of its program. Slow, and reliable only if the arguments are
 * unique; used when no better identification is left.
 */
public final class CommandSearch {

    private CommandSearch() {}

    /** A living process of this user with exactly these arguments. */
    public static Optional<ProcessKey> find(List<String> arguments) throws IOException {
        var wanted = bytes(arguments);
        var self = Proc.userId(ProcessHandle.current().pid());
        var pids = new ArrayList<Long>();
        NumberedEntries.list("/proc", (pid, inode) -> pids.add(pid));
        for (var pid : pids) {
            if (Arrays.equals(wanted, arguments(pid)) && Proc.userId(pid).equals(self)) {
                var key = Proc.key(Proc.bootId(), pid);
                if (key.isPresent() && Proc.liveness(key.get()) == Liveness.ALIVE) {
                    return key;
                }
            }
        }
        return Optional.empty();
    }

    /** True if the program of this process has exactly these arguments. */
    public static boolean matches(long pid, List<String> arguments) {
        return Arrays.equals(bytes(arguments), arguments(pid));
    }

    private static byte[] bytes(List<String> arguments) {
        return (String.join("\0", arguments) + "\0").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * All words of the command line after the first, each with the zero byte that ends it. A
     * program that has replaced them by shorter ones leaves more zeros behind the last.
     */
    private static byte[] arguments(long pid) {
        try {
            var line = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "cmdline"));
            int first = 0;
            while (first < line.length && line[first] != 0) {
                first++;
            }
            int end = line.length;
            while (end > 1 && line[end - 1] == 0 && line[end - 2] == 0) {
                end--;
            }
            return Arrays.copyOfRange(line, Math.min(first + 1, end), end);
        } catch (IOException gone) {
            return new byte[0];
        }
    }
}

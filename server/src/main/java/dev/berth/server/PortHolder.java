package dev.berth.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds out who listens on a port of this machine, as far as we may look. */
final class PortHolder {

    private static final List<Path> TABLES =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final String LISTENING = "0A";
    private static final int LOCAL = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    private PortHolder() {}

    /** The program and its pid. */
    static Optional<String> of(int port) {
        return TABLES.stream()
                .flatMap(table -> inodes(table, port))
                .flatMap(inode -> holder("socket:[" + inode + "]").stream())
                .findFirst();
    }

    private static Stream<String> inodes(Path table, int port) {
        var suffix = String.format(":%04X", port);
        try {
            return Files.readAllLines(table).stream()
                    .map(line -> line.strip().split("\\s+"))
                    .filter(
                            row ->
                                    row.length > INODE
                                            && row[STATE].equals(LISTENING)
                                            && row[LOCAL].endsWith(suffix))
                    .map(row -> row[INODE]);
        } catch (IOException _) {
            // No such table on this machine: then it has no such sockets either.
            return Stream.empty();
        }
    }

    private static Optional<String> holder(String link) {
        return ProcessHandle.allProcesses()
                .filter(process -> holds(process.pid(), link))
                .map(process -> name(process.pid()) + " (pid " + process.pid() + ")")
                .findFirst();
    }

    private static boolean holds(long pid, String link) {
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
            for (var descriptor : descriptors) {
                if (link.equals(target(descriptor))) {
                    return true;
                }
            }
            return false;
        } catch (IOException _) {
            // Another user's process, or one that is gone.
            return false;
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException _) {
            // Closed since we listed it.
            return "";
        }
    }

    private static String name(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/comm")).strip();
        } catch (IOException _) {
            // Gone since we found it.
            return "a program";
        }
    }
}

package dev.berth.http;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the process that listens on a port of this machine, as far as file permissions allow. */
public final class PortOwner {

    private static final List<Path> TABLES =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final String LISTENING = "0A";
    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    private PortOwner() {}

    /** The name and pid of the process. */
    public static Optional<String> of(int port) {
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
                                            && row[LOCAL_ADDRESS].endsWith(suffix))
                    .map(row -> row[INODE]);
        } catch (IOException _) {
            // This machine has no such table, so it has no such sockets.
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
            // The process belongs to another user or has ended.
            return false;
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException _) {
            // The descriptor was closed after the listing.
            return "";
        }
    }

    private static String name(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/comm")).strip();
        } catch (IOException _) {
            // The process ended after it was found.
            return "a program";
        }
    }
}

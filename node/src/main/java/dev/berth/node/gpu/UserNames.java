package dev.berth.node.gpu;

import dev.berth.core.gpu.ProcessOwner;
import dev.berth.node.process.Proc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Names of users by their uid, cached. */
final class UserNames {

    private static final Path PASSWD = Path.of("/etc/passwd");
    private static final int UID_FIELD = 2;

    /** The user that all tasks run as; empty if each runs as its owner. */
    private final OptionalLong taskUid;

    private final Map<Long, String> names = new HashMap<>();

    /**
     * @param isOneUser all tasks run as the user of this process
     */
    UserNames(boolean isOneUser) throws IOException {
        taskUid = isOneUser ? OptionalLong.of(Proc.userIdOfThisProcess()) : OptionalLong.empty();
    }

    ProcessOwner owner(long pid) {
        try {
            return Proc.userId(pid)
                    .<ProcessOwner>map(
                            user ->
                                    new ProcessOwner.HostUser(
                                            names.computeIfAbsent(user, it -> name(it, pid)),
                                            user == taskUid.orElse(-1)))
                    .orElseGet(ProcessOwner.Unknown::new);
        } catch (IOException unreadable) {
            return new ProcessOwner.Unknown();
        }
    }

    /**
     * The JDK gets the name of a file's owner from the C library, which also knows the users of a
     * directory service. The files of a process in /proc belong to its user, unless the process is
     * protected from others.
     */
    private static String name(long user, long pid) {
        var folder = Path.of("/proc/" + pid);
        try {
            if (Files.getAttribute(folder, "unix:uid") instanceof Integer owner && owner == user) {
                return Files.getOwner(folder).getName();
            }
        } catch (IOException | UnsupportedOperationException _) {
            // The process has just ended; /etc/passwd is used instead.
        }
        return fromPasswd(user).orElse(Long.toString(user));
    }

    private static Optional<String> fromPasswd(long user) {
        try (var lines = Files.lines(PASSWD)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(
                            fields ->
                                    fields.length > UID_FIELD
                                            && fields[UID_FIELD].equals(Long.toString(user)))
                    .map(fields -> fields[0])
                    .findFirst();
        } catch (IOException | java.io.UncheckedIOException _) {
            return Optional.empty();
        }
    }
}

package dev.berth.node.card;

import dev.berth.core.card.Whose;
import dev.berth.node.process.Proc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Names of users by their number, remembered. */
final class Users {

    private static final Path PASSWD = Path.of("/etc/passwd");
    private static final int NUMBER_AT = 2;

    private final long own;
    private final Map<Long, String> names = new HashMap<>();

    Users() throws IOException {
        own =
                Proc.user(ProcessHandle.current().pid())
                        .orElseThrow(() -> new IOException("/proc does not show this process"));
    }

    Whose owner(long pid) {
        try {
            return Proc.user(pid)
                    .<Whose>map(
                            user ->
                                    new Whose.User(
                                            names.computeIfAbsent(user, it -> name(it, pid)),
                                            user == own))
                    .orElseGet(Whose.Unknown::new);
        } catch (IOException unreadable) {
            return new Whose.Unknown();
        }
    }

    /**
     * The JDK asks the C library for the name of a file's owner, which also knows the users of a
     * directory service; a process's files in /proc are its user's, unless it hides from others.
     */
    private static String name(long user, long pid) {
        var folder = Path.of("/proc/" + pid);
        try {
            if (Files.getAttribute(folder, "unix:uid") instanceof Integer owner && owner == user) {
                return Files.getOwner(folder).getName();
            }
        } catch (IOException | UnsupportedOperationException _) {
            // It has just ended; the file of users is asked instead.
        }
        return listed(user).orElse(Long.toString(user));
    }

    private static Optional<String> listed(long user) {
        try (var lines = Files.lines(PASSWD)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(
                            fields ->
                                    fields.length > NUMBER_AT
                                            && fields[NUMBER_AT].equals(Long.toString(user)))
                    .map(fields -> fields[0])
                    .findFirst();
        } catch (IOException | java.io.UncheckedIOException _) {
            return Optional.empty();
        }
    }
}

package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.task.Owner;
import dev.berth.server.http.Refused;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where a task's script starts.
 *
 * @param users the file that lists users with their homes
 * @param fallback the home of the server's own user
 */
public record WorkDirs(Path users, Path fallback) {

    private static final Logger log = LoggerFactory.getLogger(WorkDirs.class);

    private static final int LONGEST = 4096;
    private static final int HOME = 5;

    /** For tasks that come together. */
    Look look() {
        return new Look();
    }

    /** Sees each user's home once, however many of their tasks there are. */
    final class Look {
        private final Map<Owner, String> homes = new HashMap<>();

        /** The directory asked for, or else the owner's home. */
        String of(Optional<String> asked, Owner owner) throws Refused {
            return asked.isPresent()
                    ? checked(asked.get())
                    : homes.computeIfAbsent(owner, one -> home(one).toString());
        }
    }

    private static String checked(String text) throws Refused {
        if (!text.startsWith("/") || text.length() > LONGEST || text.contains("\n")) {
            throw refused(text, "is not an absolute path");
        }
        Path path;
        try {
            path = Path.of(text);
        } catch (InvalidPathException e) {
            throw refused(text, "cannot be a path here (" + e.getReason() + ")");
        }
        if (!Files.isDirectory(path)) {
            throw refused(
                    text,
                    Files.exists(path) ? "is not a directory" : "does not exist on this machine");
        }
        if (!Files.isExecutable(path)) {
            throw refused(text, "may not be entered by the server's user");
        }
        return path.toString();
    }

    /**
     * The server's user, whom tasks run as, must be able to enter it: where that is not so, its own
     * home will do.
     */
    private Path home(Owner owner) {
        return listed(owner)
                .filter(WorkDirs::isEnterable)
                .orElseGet(() -> isEnterable(fallback) ? fallback : Path.of("/"));
    }

    private Optional<Path> listed(Owner owner) {
        if (!Files.isReadable(users)) {
            return Optional.empty();
        }
        try (var lines = Files.lines(users)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(
                            row ->
                                    row.length > HOME
                                            && row[0].equals(owner.name())
                                            && row[HOME].startsWith("/"))
                    .map(row -> Path.of(row[HOME]))
                    .findFirst();
        } catch (IOException | java.io.UncheckedIOException | InvalidPathException e) {
            log.warn(
                    "the list of users cannot be read, the server's own home is used: {}",
                    e.getMessage());
            return Optional.empty();
        }
    }

    private static boolean isEnterable(Path path) {
        return Files.isDirectory(path) && Files.isExecutable(path);
    }

    private static Refused refused(String text, String why) {
        var shown = text.length() > 200 ? text.substring(0, 200) + "…" : text;
        return new Refused(
                Rejected.invalid(
                                "work_dir.invalid",
                                "work_dir",
                                "work_dir \"" + shown + "\" " + why + ".")
                        .with("work_dir", shown));
    }
}

package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.core.task.Owner;
import dev.berth.http.RejectedException;

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
 * Determines the working directory of a task.
 *
 * @param users the file that lists users with their homes
 * @param fallback the home of the server's user
 */
public record WorkingDirectories(Path users, Path fallback) {

    private static final Logger log = LoggerFactory.getLogger(WorkingDirectories.class);

    private static final int MAX_LENGTH = 4096;
    private static final int HOME_FIELD = 5;

    CachedLookup newLookup() {
        return new CachedLookup();
    }

    /** Looks up each user's home once for a whole batch of tasks. */
    final class CachedLookup {
        private final Map<Owner, String> homes = new HashMap<>();

        /** The requested directory, or else the owner's home. */
        String of(Optional<String> asked, Owner owner) throws RejectedException {
            return asked.isPresent()
                    ? checked(asked.get())
                    : homes.computeIfAbsent(owner, one -> home(one).toString());
        }
    }

    private static String checked(String text) throws RejectedException {
        if (!text.startsWith("/") || text.length() > MAX_LENGTH || text.contains("\n")) {
            throw refused(text, "not_absolute");
        }
        Path path;
        try {
            path = Path.of(text);
        } catch (InvalidPathException e) {
            throw refused(text, "no_path");
        }
        if (!Files.isDirectory(path)) {
            throw refused(text, Files.exists(path) ? "no_directory" : "absent");
        }
        if (!Files.isExecutable(path)) {
            throw refused(text, "no_access");
        }
        return path.toString();
    }

    /**
     * Tasks run as the server's user, who must be able to enter the directory; otherwise that
     * user's own home is used.
     */
    private Path home(Owner owner) {
        return homeOf(owner)
                .filter(WorkingDirectories::isEnterable)
                .orElseGet(() -> isEnterable(fallback) ? fallback : Path.of("/"));
    }

    private Optional<Path> homeOf(Owner owner) {
        if (!Files.isReadable(users)) {
            return Optional.empty();
        }
        try (var lines = Files.lines(users)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(
                            row ->
                                    row.length > HOME_FIELD
                                            && row[0].equals(owner.name())
                                            && row[HOME_FIELD].startsWith("/"))
                    .map(row -> Path.of(row[HOME_FIELD]))
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

    private static RejectedException refused(String text, String variant) {
        var shown = text.length() > 200 ? text.substring(0, 200) + "…" : text;
        return new RejectedException(
                Rejected.invalid("work_dir.invalid", "work_dir")
                        .variant(variant)
                        .with("work_dir", shown));
    }
}

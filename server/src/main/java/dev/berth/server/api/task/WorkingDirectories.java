package dev.berth.server.api.task;

import dev.berth.core.Rejected;
import dev.berth.core.task.Owner;
import dev.berth.files.TimeLimitedCalls.NoAnswerException;
import dev.berth.files.UserPaths;
import dev.berth.http.RejectedException;
import dev.berth.server.api.FileFailure;

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
public record WorkingDirectories(Path users, Path fallback, UserPaths paths) {

    private static final Logger log = LoggerFactory.getLogger(WorkingDirectories.class);

    private static final int MAX_LENGTH = 4096;
    private static final int HOME_FIELD = 5;

    /** The requested directory, or else the owner's home. */
    public String of(Optional<String> asked, Owner owner) throws RejectedException {
        return newLookup().of(asked, owner);
    }

    CachedLookup newLookup() {
        return new CachedLookup();
    }

    /** Looks at each directory and each user's home once for a whole batch of tasks. */
    final class CachedLookup {
        private final Map<Owner, String> homes = new HashMap<>();
        private final Map<String, String> checked = new HashMap<>();

        /** The requested directory, or else the owner's home. */
        String of(Optional<String> asked, Owner owner) throws RejectedException {
            if (asked.isPresent()) {
                var text = asked.get();
                var known = checked.get(text);
                var path = known == null ? checked(text, paths) : known;
                checked.put(text, path);
                return path;
            }
            var known = homes.get(owner);
            var home = known == null ? home(owner).toString() : known;
            homes.put(owner, home);
            return home;
        }
    }

    /** An absolute directory that exists and that the server may enter. */
    public static String checked(String text, UserPaths paths) throws RejectedException {
        var path = absolute(text);
        return switch (look(path, paths)) {
            case ENTERABLE -> path.toString();
            case NOT_ENTERABLE -> throw refused(text, "no_access");
            case NO_DIRECTORY -> throw refused(text, "no_directory");
            case ABSENT -> throw refused(text, "absent");
        };
    }

    /**
     * An absolute path that is not looked at: a task that runs as its owner may use directories
     * that are closed to the server, or that do not answer.
     */
    public static String unexamined(String text) throws RejectedException {
        return absolute(text).toString();
    }

    private static Path absolute(String text) throws RejectedException {
        if (!text.startsWith("/")) {
            throw refused(text, "not_absolute");
        }
        if (text.length() > MAX_LENGTH) {
            throw refused(text, "too_long");
        }
        if (text.contains("\n")) {
            throw refused(text, "line_break");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw refused(text, "no_path");
        }
    }

    private enum Look {
        ENTERABLE,
        NOT_ENTERABLE,
        NO_DIRECTORY,
        ABSENT
    }

    /** The directory may be on a network file system that does not answer. */
    private static Look look(Path path, UserPaths paths) throws RejectedException {
        try {
            return paths.access(path, () -> lookNow(path));
        } catch (NoAnswerException late) {
            log.warn("a request names {}: {}", path, late.getMessage());
            throw FileFailure.noAnswer("work_dir", late);
        } catch (IOException e) {
            throw FileFailure.rejection(path.toString(), e);
        }
    }

    private static Look lookNow(Path path) {
        if (!Files.isDirectory(path)) {
            return Files.exists(path) ? Look.NO_DIRECTORY : Look.ABSENT;
        }
        return Files.isExecutable(path) ? Look.ENTERABLE : Look.NOT_ENTERABLE;
    }

    /**
     * Tasks run as the server's user, who must be able to enter the directory; otherwise that
     * user's own home is used.
     */
    private Path home(Owner owner) throws RejectedException {
        var home = homeOf(owner);
        if (home.isPresent() && look(home.get(), paths) == Look.ENTERABLE) {
            return home.get();
        }
        return look(fallback, paths) == Look.ENTERABLE ? fallback : Path.of("/");
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

    private static RejectedException refused(String text, String variant) {
        var shown = text.length() > 200 ? text.substring(0, 200) + "…" : text;
        return new RejectedException(
                Rejected.invalid("work_dir.invalid", "work_dir")
                        .variant(variant)
                        .with("work_dir", shown));
    }
}

package dev.berth.runs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Decides which log files may be shown by path. Links are resolved before the check, so that none
 * leads out.
 *
 * @param home its {@code logs/} is always allowed
 * @param roots further directories
 * @param workDirs directories in which a task's log may be bound; files of the home in them are
 *     excluded
 */
public record LogAccess(Path home, Supplier<List<Path>> roots, Supplier<List<Path>> workDirs) {

    private static final int MAX_LENGTH = 4096;
    private static final List<String> SERVER_LOGS = List.of("audit.log", "berth.log");

    /** The result of resolving a path. */
    public sealed interface LogPath {

        /** A regular file in an allowed directory, by its real path. */
        record RegularFile(Path path) implements LogPath {}

        /** In an allowed directory, but it does not exist. */
        record Absent() implements LogPath {}

        /** In an allowed directory, but not a regular file. */
        record NotRegularFile() implements LogPath {}

        /** Outside the allowed directories, whether it exists or not. */
        record Outside() implements LogPath {}

        /** Not a valid path. */
        record InvalidPath() implements LogPath {}
    }

    /** For callers who may read any log. */
    public LogPath resolveReadable(String path) {
        return resolve(path, real -> isBelowAny(real, readableRoots()));
    }

    /** For the log of one task, which any user may bind and read. */
    public LogPath resolveBindable(String path) {
        return resolve(path, real -> !isServerLog(real) && isBindable(real));
    }

    /** The home is usually inside the work directory; its files are not task logs. */
    private boolean isBindable(Path real) {
        return isBelowAny(real, readableRoots())
                || (!isBelow(real, home) && isBelowAny(real, workDirs.get()));
    }

    /** The server's own logs are for admins only; rotated files have a number suffix. */
    private boolean isServerLog(Path real) {
        var name = String.valueOf(real.getFileName());
        return isBelow(real, home.resolve("logs"))
                && SERVER_LOGS.stream().anyMatch(name::startsWith);
    }

    private List<Path> readableRoots() {
        return Stream.concat(Stream.of(home.resolve("logs")), roots.get().stream()).toList();
    }

    private LogPath resolve(String text, Predicate<Path> isInside) {
        if (text.isBlank() || text.length() > MAX_LENGTH) {
            return new LogPath.InvalidPath();
        }
        Path path;
        try {
            path = home.resolve(text);
        } catch (InvalidPathException _) {
            return new LogPath.InvalidPath();
        }
        var real = realPath(path);
        if (real.isEmpty() || !isInside.test(real.get())) {
            return new LogPath.Outside();
        }
        if (!Files.exists(real.get(), LinkOption.NOFOLLOW_LINKS)) {
            return new LogPath.Absent();
        }
        // A pipe is never opened: that would block until another process writes.
        return Files.isRegularFile(real.get(), LinkOption.NOFOLLOW_LINKS)
                ? new LogPath.RegularFile(real.get())
                : new LogPath.NotRegularFile();
    }

    /**
     * Resolves all links; for a path that does not exist, those of its existing parent. Empty if
     * that is not possible.
     */
    private static Optional<Path> realPath(Path path) {
        Path known = path;
        Path remainder = Path.of("");
        while (known != null) {
            if (Files.exists(known, LinkOption.NOFOLLOW_LINKS)) {
                try {
                    return Optional.of(known.toRealPath().resolve(remainder));
                } catch (IOException _) {
                    // A dangling or circular link, or a directory without permission.
                    return Optional.empty();
                }
            }
            var name = known.getFileName();
            if (name == null || name.toString().equals("..") || name.toString().equals(".")) {
                return Optional.empty();
            }
            remainder = name.resolve(remainder);
            known = known.getParent();
        }
        return Optional.empty();
    }

    private static boolean isBelowAny(Path real, List<Path> tops) {
        return tops.stream().anyMatch(top -> isBelow(real, top));
    }

    private static boolean isBelow(Path real, Path root) {
        try {
            var top = root.toRealPath();
            return real.startsWith(top) && !real.equals(top);
        } catch (IOException _) {
            // A directory that does not exist contains nothing.
            return false;
        }
    }
}

package dev.berth.runs;

import dev.berth.files.UserPaths;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Decides which log files may be shown by path. Links are resolved before the check, so that none
 * leads out.
 *
 * @param home its {@code logs/} is always allowed
 * @param roots further directories
 * @param workDirs directories in which a task's log may be bound; files of the home in them are
 *     excluded
 * @param paths all of these directories may be on a file system that does not answer
 */
public record LogAccess(
        Path home, Supplier<List<Path>> roots, Supplier<List<Path>> workDirs, UserPaths paths) {

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
    public LogPath resolveReadable(String path) throws IOException {
        return resolve(path, this::isReadable);
    }

    /** For the log of one task, which any user may bind and read. */
    public LogPath resolveBindable(String path) throws IOException {
        return resolve(path, real -> !isServerLog(real) && isBindable(real));
    }

    private boolean isReadable(Path real) {
        return isBelow(real, home.resolve("logs")) || isBelowAny(real, roots.get());
    }

    /** The home is usually inside the work directory; its files are not task logs. */
    private boolean isBindable(Path real) {
        return isReadable(real) || (!isBelow(real, home) && isBelowAny(real, workDirs.get()));
    }

    /** The server's own logs are for admins only; rotated files have a number suffix. */
    private boolean isServerLog(Path real) {
        var name = String.valueOf(real.getFileName());
        return isBelow(real, home.resolve("logs"))
                && SERVER_LOGS.stream().anyMatch(name::startsWith);
    }

    /** The end of a file that was resolved before. */
    public LogFileTail tail(LogPath.RegularFile file, int lineCount) throws IOException {
        return paths.access(file.path(), () -> LogFileTail.tail(file.path(), lineCount));
    }

    private LogPath resolve(String text, Predicate<Path> isInside) throws IOException {
        if (text.isBlank() || text.length() > MAX_LENGTH) {
            return new LogPath.InvalidPath();
        }
        Path path;
        try {
            path = home.resolve(text);
        } catch (InvalidPathException _) {
            return new LogPath.InvalidPath();
        }
        var real = paths.access(path, () -> realPath(path));
        // The directories are looked at afterwards, each on its own: they may not answer either.
        if (real.isEmpty() || !isInside.test(real.get())) {
            return new LogPath.Outside();
        }
        return paths.access(path, () -> kindOf(real.get()));
    }

    private static LogPath kindOf(Path real) {
        if (!Files.exists(real, LinkOption.NOFOLLOW_LINKS)) {
            return new LogPath.Absent();
        }
        // A pipe is never opened: that would block until another process writes.
        return Files.isRegularFile(real, LinkOption.NOFOLLOW_LINKS)
                ? new LogPath.RegularFile(real)
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

    private boolean isBelowAny(Path real, List<Path> tops) {
        return tops.stream().anyMatch(top -> isBelow(real, top));
    }

    private boolean isBelow(Path real, Path root) {
        try {
            var top = paths.access(root, root::toRealPath);
            return real.startsWith(top) && !real.equals(top);
        } catch (IOException _) {
            // A directory that does not exist contains nothing. One that does not answer must not
            // keep callers from the others.
            return false;
        }
    }
}

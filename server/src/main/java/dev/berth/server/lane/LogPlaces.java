package dev.berth.server.lane;

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
 * Where logs may lie that are shown by their path. Links are followed before it is judged, so that
 * none leads out.
 *
 * @param home whose {@code logs/} is always one
 * @param roots further directories
 * @param workDirs directories in which a task of a command file may have its log, too; what of the
 *     home lies in them stays out
 */
public record LogPlaces(Path home, Supplier<List<Path>> roots, Supplier<List<Path>> workDirs) {

    private static final int LONGEST = 4096;
    private static final List<String> SERVERS_OWN = List.of("audit.log", "berth.log");

    /** What a path turned out to lead to. */
    public sealed interface Found {

        /** A plain file inside, by its real path. */
        record File(Path path) implements Found {}

        /** Inside, but nothing is there. */
        record Absent() implements Found {}

        /** Inside, but a directory, a device or the like. */
        record NoFile() implements Found {}

        /** Not inside, whether or not anything is there. */
        record Outside() implements Found {}

        /** No path at all. */
        record NoPath() implements Found {}
    }

    /** For those who may read any log there is. */
    public Found read(String path) {
        return look(path, real -> isBelowOne(real, readable()));
    }

    /** For the log of one task, which anybody may bind and read. */
    public Found bound(String path) {
        return look(path, real -> !isServersOwn(real) && isBindable(real));
    }

    /** The home usually lies within the work directory, and with it all that is nobody's log. */
    private boolean isBindable(Path real) {
        return isBelowOne(real, readable())
                || (!isBelow(real, home) && isBelowOne(real, workDirs.get()));
    }

    /** What the server tells of everybody is for admins; the numbered ones are older. */
    private boolean isServersOwn(Path real) {
        var name = String.valueOf(real.getFileName());
        return isBelow(real, home.resolve("logs"))
                && SERVERS_OWN.stream().anyMatch(name::startsWith);
    }

    private List<Path> readable() {
        return Stream.concat(Stream.of(home.resolve("logs")), roots.get().stream()).toList();
    }

    private Found look(String text, Predicate<Path> isInside) {
        if (text.isBlank() || text.length() > LONGEST) {
            return new Found.NoPath();
        }
        Path path;
        try {
            path = home.resolve(text);
        } catch (InvalidPathException _) {
            return new Found.NoPath();
        }
        var real = real(path);
        if (real.isEmpty() || !isInside.test(real.get())) {
            return new Found.Outside();
        }
        if (!Files.exists(real.get(), LinkOption.NOFOLLOW_LINKS)) {
            return new Found.Absent();
        }
        // A pipe is never opened: that would wait for whoever writes into it.
        return Files.isRegularFile(real.get(), LinkOption.NOFOLLOW_LINKS)
                ? new Found.File(real.get())
                : new Found.NoFile();
    }

    /**
     * The path with all links followed; of what is not there yet, with those of the directory that
     * is. Empty where that cannot be told.
     */
    private static Optional<Path> real(Path path) {
        Path known = path;
        Path rest = Path.of("");
        while (known != null) {
            if (Files.exists(known, LinkOption.NOFOLLOW_LINKS)) {
                try {
                    return Optional.of(known.toRealPath().resolve(rest));
                } catch (IOException _) {
                    // A link to nowhere, or in a circle, or something we may not look into.
                    return Optional.empty();
                }
            }
            var name = known.getFileName();
            if (name == null || name.toString().equals("..") || name.toString().equals(".")) {
                return Optional.empty();
            }
            rest = name.resolve(rest);
            known = known.getParent();
        }
        return Optional.empty();
    }

    private static boolean isBelowOne(Path real, List<Path> tops) {
        return tops.stream().anyMatch(top -> isBelow(real, top));
    }

    private static boolean isBelow(Path real, Path root) {
        try {
            var top = root.toRealPath();
            return real.startsWith(top) && !real.equals(top);
        } catch (IOException _) {
            // A place that is not there holds nothing.
            return false;
        }
    }
}

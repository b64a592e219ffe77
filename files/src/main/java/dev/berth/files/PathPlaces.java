package dev.berth.files;

import dev.berth.files.MountTable.Mount;
import dev.berth.files.TimeLimitedCalls.Place;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Finds what stops answering together with a path. */
final class PathPlaces {

    /** As many links as the kernel follows. */
    private static final int MAX_LINKS = 40;

    private static final Path ROOT = Path.of("/");

    private final List<Mount> mounts;

    /** Few, so that most paths need no search among all mounts. */
    private final List<Mount> mountsThatNeedOthers;

    PathPlaces(List<Mount> mounts) {
        this.mounts = mounts;
        this.mountsThatNeedOthers = mounts.stream().filter(Mount::needsOthers).toList();
    }

    /**
     * The mount of the path if another machine or program must answer for it, otherwise the path
     * itself: something else may be wrong with a single path. Touches no file system.
     */
    Place placeOf(Path path) {
        var whole = path.toAbsolutePath().normalize();
        var mount = mountOf(whole);
        var point = mount.map(one -> one.point().toString()).orElse(whole.toString());
        return new Place(
                mount.filter(Mount::needsOthers).isPresent() ? point : whole.toString(), point);
    }

    /**
     * The place that the links of the path lead to. Reads links on local file systems only, so it
     * blocks no longer than these do.
     */
    Place placeBehindLinks(Path path) {
        var rest = names(path.toAbsolutePath());
        var current = ROOT;
        int links = 0;
        while (!rest.isEmpty() && !needsOthers(current)) {
            var name = rest.removeFirst();
            if (name.toString().equals("..")) {
                current = Optional.ofNullable(current.getParent()).orElse(ROOT);
                continue;
            }
            var next = current.resolve(name);
            var target = needsOthers(next) ? Optional.<Path>empty() : linkTarget(next);
            if (target.isPresent() && ++links <= MAX_LINKS) {
                current = target.get().isAbsolute() ? ROOT : current;
                names(target.get()).reversed().forEach(rest::addFirst);
            } else {
                current = next;
            }
        }
        return placeOf(current);
    }

    private static Deque<Path> names(Path path) {
        var names = new ArrayDeque<Path>();
        path.forEach(
                name -> {
                    if (!name.toString().equals(".") && !name.toString().isEmpty()) {
                        names.add(name);
                    }
                });
        return names;
    }

    private static Optional<Path> linkTarget(Path path) {
        try {
            return Files.isSymbolicLink(path)
                    ? Optional.of(Files.readSymbolicLink(path))
                    : Optional.empty();
        } catch (IOException _) {
            // Removed meanwhile.
            return Optional.empty();
        }
    }

    private boolean needsOthers(Path path) {
        return mountsThatNeedOthers.stream().anyMatch(mount -> path.startsWith(mount.point()))
                && mountOf(path).filter(Mount::needsOthers).isPresent();
    }

    private Optional<Mount> mountOf(Path path) {
        return mounts.stream()
                .filter(mount -> path.startsWith(mount.point()))
                .reduce((one, next) -> next.isBelow(one) ? next : one);
    }
}

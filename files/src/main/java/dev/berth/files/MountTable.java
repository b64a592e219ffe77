package dev.berth.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The mounted file systems, as the kernel lists them; the list is read without touching any of
 * them.
 */
final class MountTable {

    private static final Path TABLE = Path.of("/proc/self/mountinfo");

    private static final int MOUNT_POINT_FIELD = 4;

    /** Every submit needs the table, which hardly ever changes. */
    private static final Duration READ_INTERVAL = Duration.ofSeconds(1);

    private final Path table;
    private final Duration interval;
    private volatile ReadTable last = new ReadTable("", List.of(), OptionalLong.empty());

    /**
     * @param readAt by the clock of {@link System#nanoTime}
     */
    private record ReadTable(String text, List<Mount> mounts, OptionalLong readAt) {

        boolean isNewerThan(Duration age) {
            return readAt.isPresent() && System.nanoTime() - readAt.getAsLong() < age.toNanos();
        }
    }

    /** Reads the table for each path. */
    MountTable(Path table) {
        this(table, Duration.ZERO);
    }

    private MountTable(Path table, Duration interval) {
        this.table = table;
        this.interval = interval;
    }

    static MountTable ofThisMachine() {
        return new MountTable(TABLE, READ_INTERVAL);
    }

    /** Without /proc there are none, and every path counts for itself. */
    List<Mount> mounts() {
        var known = last;
        if (known.isNewerThan(interval)) {
            return known.mounts();
        }
        try {
            var now = OptionalLong.of(System.nanoTime());
            // A mount point need not be valid UTF-8.
            var text = new String(Files.readAllBytes(table), StandardCharsets.UTF_8);
            var mounts = known.text().equals(text) ? known.mounts() : parsed(text);
            last = new ReadTable(text, mounts, now);
            return mounts;
        } catch (IOException _) {
            return List.of();
        }
    }

    private static List<Mount> parsed(String text) {
        return text.lines().map(MountTable::mount).flatMap(Optional::stream).toList();
    }

    /**
     * @param point where it is mounted
     * @param type as the kernel names it
     */
    record Mount(Path point, String type) {

        /** Of two at the same point, the later one hides the earlier one. */
        boolean isBelow(Mount other) {
            return point.getNameCount() >= other.point.getNameCount();
        }

        /** An automounter asks the network when the path is touched; FUSE asks a program. */
        boolean needsOthers() {
            return NetworkFileSystem.isRemote(type)
                    || type.equals("autofs")
                    || type.startsWith("fuse");
        }
    }

    /** As in proc_pid_mountinfo(5): the type follows the separator "-". */
    private static Optional<Mount> mount(String line) {
        var fields = List.of(line.split(" ", -1));
        int separator = fields.indexOf("-");
        if (separator <= MOUNT_POINT_FIELD || separator + 1 >= fields.size()) {
            return Optional.empty();
        }
        try {
            var point = Path.of(unescaped(fields.get(MOUNT_POINT_FIELD)));
            return Optional.of(new Mount(point, fields.get(separator + 1)));
        } catch (InvalidPathException notInThisLocale) {
            return Optional.empty();
        }
    }

    /** The kernel writes blanks and backslashes in octal. */
    private static String unescaped(String text) {
        return text.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }
}

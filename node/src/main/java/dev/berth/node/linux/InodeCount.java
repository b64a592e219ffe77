package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * Inodes of one file system: what this user may still use, and the total. Both are 0 on a file
 * system that does not count them, for example btrfs.
 */
public record InodeCount(long free, long total) {

    /** {@code struct statvfs} has 112 bytes; the total is at 40, what users may use at 56. */
    private static final long STATVFS_BYTES = 256;

    private static final long TOTAL_AT = 40;
    private static final long FREE_AT = 56;
    private static final Libc.Function STATVFS = Libc.function("statvfs");

    public static InodeCount of(Path path) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var stat = arena.allocate(STATVFS_BYTES, Long.BYTES);
            var name = arena.allocateFrom(path.toString());
            if (STATVFS.callInt(state, name.address(), stat.address()) < 0) {
                throw Libc.failure(state, "statvfs", path);
            }
            return new InodeCount(stat.get(JAVA_LONG, FREE_AT), stat.get(JAVA_LONG, TOTAL_AT));
        }
    }
}

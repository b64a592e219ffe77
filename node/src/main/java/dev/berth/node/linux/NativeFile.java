package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * An open file with the calls that the JDK does not offer. It stays the same file when its name is
 * removed or given to another file.
 */
public final class NativeFile implements AutoCloseable {
    private static final int O_RDWR = 2;
    private static final int O_CLOEXEC = 0x80000;
    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int FALLOC_FL_PUNCH_HOLE = 2;

    private static final Libc.Function OPEN = Libc.function("open");
    private static final Libc.Function CLOSE = Libc.function("close");
    private static final Libc.Function FALLOCATE = Libc.function("fallocate");

    /**
     * {@code struct stat} differs between architectures, {@code struct statx} does not: its 256
     * bytes hold the size at 40 and the number of 512-byte units at 48.
     */
    private static final Libc.Function STATX = Libc.function("statx");

    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_SIZE_AND_BLOCKS = 0x200 | 0x400;
    private static final long STATX_BYTES = 256;
    private static final long SIZE_AT = 40;
    private static final long BLOCKS_AT = 48;
    private static final long UNIT = 512;

    private final Path path;
    private final int descriptor;

    private NativeFile(Path path, int descriptor) {
        this.path = path;
        this.descriptor = descriptor;
    }

    /** Opens an existing file for reading and writing. */
    public static NativeFile open(Path path) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var name = arena.allocateFrom(path.toString());
            var descriptor = OPEN.callInt(state, name.address(), O_RDWR | O_CLOEXEC);
            if (descriptor < 0) {
                throw Libc.failure(state, "open", path);
            }
            return new NativeFile(path, descriptor);
        }
    }

    /** Length of the file and the disk space it uses. */
    public Extent extent() throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var stat = arena.allocate(STATX_BYTES, Long.BYTES);
            var empty = arena.allocateFrom("").address();
            if (STATX.callInt(
                            state,
                            descriptor,
                            empty,
                            AT_EMPTY_PATH,
                            STATX_SIZE_AND_BLOCKS,
                            stat.address())
                    < 0) {
                throw Libc.failure(state, "statx", path);
            }
            return new Extent(stat.get(JAVA_LONG, SIZE_AT), stat.get(JAVA_LONG, BLOCKS_AT) * UNIT);
        }
    }

    /**
     * Returns the space of a range to the file system. The range reads as zeros, and offsets do not
     * change.
     */
    public void punchHole(long offset, long length) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
            if (FALLOCATE.callInt(state, descriptor, mode, offset, length) < 0) {
                throw Libc.failure(state, "fallocate", path);
            }
        }
    }

    @Override
    public void close() throws IOException {
        close(descriptor, path);
    }

    static void close(int descriptor, Object subject) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            if (CLOSE.callInt(state, descriptor) < 0) {
                throw Libc.failure(state, "close", subject);
            }
        }
    }

    /**
     * @param size as a reader sees it
     * @param allocated disk space in use; less than the size if there are holes
     */
    public record Extent(long size, long allocated) {}
}

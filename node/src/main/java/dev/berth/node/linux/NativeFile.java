package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * An open file of which the kernel is asked what the JDK cannot ask. It stays the same file when
 * its name is taken away or given to another.
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
     * {@code struct stat} differs from machine to machine, {@code struct statx} does not: its 256
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

    /** Opens a file that is there, for reading and writing. */
    public static NativeFile open(Path path) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var name = arena.allocateFrom(path.toString());
            var descriptor = OPEN.ask(state, name.address(), O_RDWR | O_CLOEXEC);
            if (descriptor < 0) {
                throw Libc.failure(state, "open", path);
            }
            return new NativeFile(path, descriptor);
        }
    }

    /** How long it is, and how much of the disk it takes. */
    public Extent extent() throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var stat = arena.allocate(STATX_BYTES, Long.BYTES);
            var empty = arena.allocateFrom("").address();
            if (STATX.ask(
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
     * Gives the space of a stretch back to the file system; it reads as zeros, and offsets stay.
     */
    public void punchHole(long offset, long length) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
            if (FALLOCATE.ask(state, descriptor, mode, offset, length) < 0) {
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
            if (CLOSE.ask(state, descriptor) < 0) {
                throw Libc.failure(state, "close", subject);
            }
        }
    }

    /**
     * @param size what a reader sees
     * @param allocated what it takes of the disk; less where there are holes
     */
    public record Extent(long size, long allocated) {}
}

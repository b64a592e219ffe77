package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * An open regular file whose name a task may have given to something else: a FIFO, a link, a
 * device. Opening never blocks, never follows a link, and fails if the file is not regular. It
 * stays the same file when its name is removed or given to another file.
 */
public final class RegularFile implements AutoCloseable {
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;

    /** The value differs: arm64 has its own. */
    static final int O_NOFOLLOW =
            System.getProperty("os.arch").equals("aarch64") ? 0x8000 : 0x20000;

    /**
     * What one call of the kernel reads. A buffer of this size stays in the processor's cache, and
     * malloc reuses it; a larger one is mapped anew, page by page.
     */
    private static final int COPY_BYTES = 64 * 1024;

    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int FALLOC_FL_PUNCH_HOLE = 2;

    private static final Libc.Function OPEN = Libc.function("open");
    private static final Libc.Function CLOSE = Libc.function("close");
    private static final Libc.Function PREAD = Libc.function("pread");
    private static final Libc.Function FALLOCATE = Libc.function("fallocate");
    private static final Libc.Function FTRUNCATE = Libc.function("ftruncate");
    private static final Libc.Function LSEEK = Libc.function("lseek");
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;

    /**
     * {@code struct stat} differs between architectures, {@code struct statx} does not: its 256
     * bytes hold type and mode at 28, the size at 40, the number of 512-byte units at 48 and the
     * time of the last change at 112.
     */
    private static final Libc.Function STATX = Libc.function("statx");

    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final long STATX_BYTES = 256;
    private static final long MODE_AT = 28;
    private static final long SIZE_AT = 40;
    private static final long BLOCKS_AT = 48;
    private static final long SECONDS_AT = 112;
    private static final long NANOS_AT = 120;
    private static final long UNIT = 512;
    private static final int S_IFMT = 0xf000;
    private static final int S_IFREG = 0x8000;

    private final Path path;
    private final int descriptor;

    private RegularFile(Path path, int descriptor) {
        this.path = path;
        this.descriptor = descriptor;
    }

    /**
     * Opens an existing file for reading.
     *
     * @throws NoSuchFileException there is no such file
     * @throws NotRegularFileException something else has this name
     */
    public static RegularFile open(Path path) throws IOException {
        return open(path, O_RDONLY);
    }

    /** Opens an existing file for reading and writing. */
    public static RegularFile openForWriting(Path path) throws IOException {
        return open(path, O_RDWR);
    }

    /** The first bytes of a file, at most {@code limit}. */
    public static byte[] readStart(Path path, int limit) throws IOException {
        try (var file = open(path)) {
            return file.read(0, limit);
        }
    }

    private static RegularFile open(Path path, int access) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var name = arena.allocateFrom(path.toString());
            var flags = access | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
            var descriptor = OPEN.callInt(state, name.address(), flags);
            if (descriptor < 0) {
                throw refusal(path, Libc.failure(state, "open", path));
            }
            var file = new RegularFile(path, descriptor);
            try {
                file.requireRegular();
                return file;
            } catch (IOException wrong) {
                file.close();
                throw wrong;
            }
        }
    }

    /** ELOOP: a link. ENXIO: a socket, or a device without a driver. EISDIR: a directory. */
    private static IOException refusal(Path path, ErrnoException failure) {
        return switch (failure.errno()) {
            case ErrnoException.ENOENT -> new NoSuchFileException(path.toString());
            case ErrnoException.ELOOP, ErrnoException.ENXIO, ErrnoException.EISDIR ->
                    new NotRegularFileException(path);
            default -> failure;
        };
    }

    private void requireRegular() throws IOException {
        try (var arena = Arena.ofConfined()) {
            if ((stat(arena).get(JAVA_SHORT, MODE_AT) & S_IFMT) != S_IFREG) {
                throw new NotRegularFileException(path);
            }
        }
    }

    /** Length of the file and the disk space it uses. */
    public Extent extent() throws IOException {
        try (var arena = Arena.ofConfined()) {
            var stat = stat(arena);
            return new Extent(stat.get(JAVA_LONG, SIZE_AT), stat.get(JAVA_LONG, BLOCKS_AT) * UNIT);
        }
    }

    public long size() throws IOException {
        return extent().size();
    }

    /** When its content was last changed. */
    public Instant changedAt() throws IOException {
        try (var arena = Arena.ofConfined()) {
            var stat = stat(arena);
            return Instant.ofEpochSecond(
                    stat.get(JAVA_LONG, SECONDS_AT), stat.get(JAVA_INT, NANOS_AT));
        }
    }

    private MemorySegment stat(Arena arena) throws IOException {
        var state = Libc.state(arena);
        var stat = arena.allocate(STATX_BYTES, Long.BYTES);
        var empty = arena.allocateFrom("").address();
        if (STATX.callInt(
                        state, descriptor, empty, AT_EMPTY_PATH, STATX_BASIC_STATS, stat.address())
                < 0) {
            throw Libc.failure(state, "statx", path);
        }
        return stat;
    }

    /** The bytes from this offset on: {@code length}, or fewer if the file ends before. */
    public byte[] read(long offset, int length) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            int capacity = Math.clamp(length, 1, COPY_BYTES);
            var buffer = arena.allocate(capacity);
            var bytes = new byte[length];
            int filled = 0;
            while (filled < length) {
                long wanted = Math.min(capacity, length - filled);
                long count =
                        PREAD.call(state, descriptor, buffer.address(), wanted, offset + filled);
                if (count < 0 && Libc.errno(state) != ErrnoException.EINTR) {
                    throw Libc.failure(state, "read", path);
                }
                if (count == 0) {
                    break;
                }
                if (count > 0) {
                    MemorySegment.copy(buffer, JAVA_BYTE, 0, bytes, filled, (int) count);
                    filled += (int) count;
                }
            }
            return filled == length ? bytes : Arrays.copyOf(bytes, filled);
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

    /** Removes all content. Every other name of the file loses it too. */
    public void truncate() throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            if (FTRUNCATE.callInt(state, descriptor, 0) < 0) {
                throw Libc.failure(state, "ftruncate", path);
            }
        }
    }

    /**
     * The larger holes up to {@code size}, in order. A file that consists of many pieces is not
     * examined to its end: what follows the last piece examined counts as a hole.
     *
     * @param minBytes smaller holes are not listed
     * @param maxPieces number of pieces between holes that are examined
     */
    public List<Hole> holes(long size, long minBytes, int maxPieces) throws IOException {
        var holes = new ArrayList<Hole>();
        long at = 0;
        for (int pieces = 0; at < size && pieces < maxPieces; pieces++) {
            // No data up to the end, also if the file was truncated meanwhile.
            long data = Math.min(size, seek(at, SEEK_DATA).orElse(size));
            if (data - at >= minBytes) {
                holes.add(new Hole(at, data));
            }
            at = data < size ? seek(data, SEEK_HOLE).orElse(size) : size;
        }
        if (size - at >= minBytes) {
            holes.add(new Hole(at, size));
        }
        return holes;
    }

    /** Empty if there is nothing of this kind from the offset on. */
    private OptionalLong seek(long offset, int whence) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            long found = LSEEK.call(state, descriptor, offset, whence);
            if (found >= 0) {
                return OptionalLong.of(found);
            }
            if (Libc.errno(state) == ErrnoException.ENXIO) {
                return OptionalLong.empty();
            }
            throw Libc.failure(state, "lseek", path);
        }
    }

    /** A range without content; it reads as zeros. */
    public record Hole(long from, long to) {}

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

    /** The name belongs to a directory, a link, a FIFO, a device or a socket. */
    public static final class NotRegularFileException extends IOException {
        private static final long serialVersionUID = 1;

        NotRegularFileException(Path path) {
            super(path + " is not a regular file");
        }
    }
}

package dev.berth.node.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * Reads a file that other processes append to, without blocking. It may be the kernel's log ({@code
 * /dev/kmsg}), which returns one record per read and overwrites records that were not read in time.
 */
public final class FollowedFile implements AutoCloseable {
    private static final int O_RDONLY = 0;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int SEEK_END = 2;
    private static final int EAGAIN = 11;
    private static final int EPIPE = 32;

    /** The longest record of the kernel's log. The kernel refuses a read with a smaller buffer. */
    private static final int CHUNK = 8192;

    private static final Libc.Function OPEN = Libc.function("open");
    private static final Libc.Function READ = Libc.function("read");
    private static final Libc.Function LSEEK = Libc.function("lseek");

    private final Path path;
    private final int descriptor;

    private FollowedFile(Path path, int descriptor) {
        this.path = path;
        this.descriptor = descriptor;
    }

    /**
     * @param isFromEnd skip the present content
     */
    public static FollowedFile open(Path path, boolean isFromEnd) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var name = arena.allocateFrom(path.toString());
            int descriptor = OPEN.callInt(state, name.address(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
            if (descriptor < 0) {
                throw Libc.failure(state, "open", path);
            }
            if (isFromEnd && LSEEK.call(state, descriptor, 0, SEEK_END) < 0) {
                var failure = Libc.failure(state, "lseek", path);
                RegularFile.close(descriptor, path);
                throw failure;
            }
            return new FollowedFile(path, descriptor);
        }
    }

    /** The bytes appended since the last read; empty if there are none. */
    public byte[] read() throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var buffer = arena.allocate(CHUNK);
            while (true) {
                long length = READ.call(state, descriptor, buffer.address(), CHUNK);
                if (length >= 0) {
                    return buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
                }
                int errno = Libc.errno(state);
                if (errno == EAGAIN) {
                    return new byte[0];
                }
                // EPIPE: some records were overwritten. The next read returns the oldest one still
                // there.
                if (errno != EPIPE && errno != ErrnoException.EINTR) {
                    throw Libc.failure(state, "read", path);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        RegularFile.close(descriptor, path);
    }
}

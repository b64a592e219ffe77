package dev.berth.node.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/**
 * Reads small files of the kernel with three system calls each, because one scan of all processes
 * reads hundreds of them.
 */
public final class SmallFile {
    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x80000;
    private static final Libc.Function OPEN = Libc.function("open");
    private static final Libc.Function READ = Libc.function("read");
    private static final Libc.Function CLOSE = Libc.function("close");

    private SmallFile() {}

    /** The result of a single read, at most {@code limit} bytes. */
    public static byte[] read(String path, int limit) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var name = arena.allocateFrom(path);
            var descriptor = OPEN.callInt(state, name.address(), O_RDONLY | O_CLOEXEC);
            if (descriptor < 0) {
                throw Libc.failure(state, "open", path);
            }
            var buffer = arena.allocate(limit);
            var length = READ.call(state, descriptor, buffer.address(), limit);
            // Nothing was written, so a failing close loses no data.
            var failure = length < 0 ? Libc.failure(state, "read", path) : null;
            CLOSE.call(state, descriptor);
            if (failure != null) {
                throw failure;
            }
            return buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }
}

package dev.berth.node.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A program that is held in memory only: it needs no directory that allows execution, and nobody
 * can replace it. It can be executed while this object is open.
 */
public final class MemoryProgram implements AutoCloseable {
    private static final int MFD_CLOEXEC = 1;
    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x80000;

    private static final Libc.Function CREATE = Libc.function("memfd_create");
    private static final Libc.Function WRITE = Libc.function("write");
    private static final Libc.Function OPEN = Libc.function("open");

    private final String name;
    private final int descriptor;

    private MemoryProgram(String name, int descriptor) {
        this.name = name;
        this.descriptor = descriptor;
    }

    public static MemoryProgram load(String name, byte[] content) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            int writable = CREATE.callInt(state, arena.allocateFrom(name).address(), MFD_CLOEXEC);
            if (writable < 0) {
                throw Libc.failure(state, "memfd_create", name);
            }
            try {
                write(writable, name, content, arena);
                // The kernel does not execute a file that is open for writing.
                var path = arena.allocateFrom(pathOf(writable).toString()).address();
                int descriptor = OPEN.callInt(state, path, O_RDONLY | O_CLOEXEC);
                if (descriptor < 0) {
                    throw Libc.failure(state, "open", name);
                }
                return new MemoryProgram(name, descriptor);
            } finally {
                RegularFile.close(writable, Path.of(name));
            }
        }
    }

    private static void write(int descriptor, String name, byte[] content, Arena arena)
            throws IOException {
        var state = Libc.state(arena);
        var bytes = arena.allocate(content.length);
        MemorySegment.copy(content, 0, bytes, JAVA_BYTE, 0, content.length);
        if (WRITE.call(state, descriptor, bytes.address(), content.length) != content.length) {
            throw Libc.failure(state, "write", name);
        }
    }

    /** A path of this process: a new process closes its descriptors before it loads a program. */
    private static Path pathOf(int descriptor) {
        return Path.of("/proc/" + ProcessHandle.current().pid() + "/fd/" + descriptor);
    }

    public Path path() {
        return pathOf(descriptor);
    }

    @Override
    public void close() throws IOException {
        RegularFile.close(descriptor, Path.of(name));
    }
}

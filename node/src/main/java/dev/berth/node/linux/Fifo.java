package dev.berth.node.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates FIFOs. */
public final class Fifo {

    private static final Libc.Function MKFIFO = Libc.function("mkfifo");
    private static final int OWNER_ONLY = 0600;

    private Fifo() {}

    /** Replaces a file of this name. */
    public static void create(Path path) throws IOException {
        Files.deleteIfExists(path);
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var name = arena.allocateFrom(path.toString());
            if (MKFIFO.callInt(state, name.address(), OWNER_ONLY) != 0) {
                throw Libc.failure(state, "mkfifo", path);
            }
        }
    }
}

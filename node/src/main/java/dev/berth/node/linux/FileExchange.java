package dev.berth.node.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Exchanges the names of two files of one file system atomically. */
public final class FileExchange {
    private static final long SYS_RENAMEAT2 =
            System.getProperty("os.arch").equals("amd64") ? 316 : 276;

    /** Relative paths start in the working directory. */
    private static final long AT_FDCWD = -100;

    private static final long RENAME_EXCHANGE = 2;

    /** Called by number, because older C libraries have no wrapper for it. */
    private static final Libc.Function SYSCALL = Libc.function("syscall");

    private FileExchange() {}

    /** False if the kernel or the file system does not support it; then nothing has changed. */
    public static boolean exchange(Path one, Path other) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = Libc.state(arena);
            var answer =
                    SYSCALL.call(
                            state,
                            SYS_RENAMEAT2,
                            AT_FDCWD,
                            arena.allocateFrom(one.toString()).address(),
                            AT_FDCWD,
                            arena.allocateFrom(other.toString()).address(),
                            RENAME_EXCHANGE);
            if (answer == 0) {
                return true;
            }
            return switch (Libc.errno(state)) {
                case ErrnoException.EINVAL, ErrnoException.ENOSYS, ErrnoException.EOPNOTSUPP ->
                        false;
                case ErrnoException.ENOENT ->
                        throw new NoSuchFileException(one.toString(), other.toString(), "exchange");
                default -> throw Libc.failure(state, "renameat2", one + " and " + other);
            };
        }
    }
}

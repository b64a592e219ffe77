package dev.berth.node.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Lets two files of one file system change names, in one step that nobody can see half done. */
public final class FileSwap {
    private static final long SYS_RENAMEAT2 =
            System.getProperty("os.arch").equals("amd64") ? 316 : 276;

    /** Relative names begin in the working directory. */
    private static final long AT_FDCWD = -100;

    private static final long RENAME_EXCHANGE = 2;

    /** By its number: older C libraries have no name for it. */
    private static final Libc.Function SYSCALL = Libc.function("syscall");

    private FileSwap() {}

    /** False where the kernel or the file system cannot do this; then nothing has changed. */
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

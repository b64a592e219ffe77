package dev.berth.runs;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * An advisory lock beside the file, for scripts that use it. It is optional: a script that hangs
 * with the lock must not block Berth.
 */
final class ProcessFileLock implements AutoCloseable {

    private static final Duration TIME_LIMIT = Duration.ofSeconds(1);
    private static final long PAUSE_NANOS = Duration.ofMillis(2).toNanos();

    private final FileChannel channel;

    private ProcessFileLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Returns with the lock, or after the time limit. */
    static ProcessFileLock acquire(Path file) throws IOException {
        var channel =
                FileChannel.open(
                        file.resolveSibling(file.getFileName() + ".lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        try {
            long end = System.nanoTime() + TIME_LIMIT.toNanos();
            while (tryLock(channel) == null && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return new ProcessFileLock(channel);
        } catch (IOException refused) {
            channel.close();
            throw refused;
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException held) {
            return null;
        }
    }

    /** Closing the channel releases the lock. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}

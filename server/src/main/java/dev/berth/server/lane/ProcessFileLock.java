package dev.berth.server.lane;

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
 * The lock beside the file, for those who ask for it. Nothing depends on it: a script that died
 * with the lock in its hand must not keep Berth from its records.
 */
final class ProcessFileLock implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final long PAUSE_NANOS = Duration.ofMillis(2).toNanos();

    private final FileChannel channel;

    private ProcessFileLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Returns with the lock, or when it has waited long enough. */
    static ProcessFileLock take(Path file) throws IOException {
        var channel =
                FileChannel.open(
                        file.resolveSibling(file.getFileName() + ".lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        try {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (lock(channel) == null && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return new ProcessFileLock(channel);
        } catch (IOException refused) {
            channel.close();
            throw refused;
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException held) {
            return null;
        }
    }

    /** Closing lets it go. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}

package dev.berth.cli.link;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends an exchange that takes too long. A blocking channel on a Unix socket knows no timeout, but
 * closing it wakes whoever is blocked on it, in connect, write and read alike.
 */
final class Deadline implements Closeable {

    private final CountDownLatch over = new CountDownLatch(1);
    private final Thread watcher;
    private volatile @Nullable SocketChannel guarded;
    private volatile boolean passed;

    Deadline(Duration patience) {
        watcher = Thread.ofPlatform().daemon().name("deadline").start(() -> watch(patience));
    }

    Thread watcher() {
        return watcher;
    }

    void guard(SocketChannel channel) {
        guarded = channel;
        if (passed) {
            close(channel);
        }
    }

    boolean passed() {
        return passed;
    }

    private void watch(Duration patience) {
        try {
            if (over.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException nobodyDoesThis) {
            Thread.currentThread().interrupt();
        }
        passed = true;
        close(guarded);
    }

    /** In time. */
    @Override
    public void close() {
        over.countDown();
    }

    static void close(@Nullable SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}

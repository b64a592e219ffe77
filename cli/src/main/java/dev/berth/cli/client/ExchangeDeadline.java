package dev.berth.cli.client;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Aborts an exchange that takes too long. A blocking channel on a Unix socket has no timeout, but
 * closing the channel wakes a thread that is blocked in connect, write or read.
 */
final class ExchangeDeadline implements Closeable {

    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread watcher;
    private volatile @Nullable SocketChannel guarded;
    private volatile boolean hasPassed;

    ExchangeDeadline(Duration timeout) {
        watcher = Thread.ofPlatform().daemon().name("deadline").start(() -> watch(timeout));
    }

    Thread watcher() {
        return watcher;
    }

    void guard(SocketChannel channel) {
        guarded = channel;
        if (hasPassed) {
            close(channel);
        }
    }

    boolean hasPassed() {
        return hasPassed;
    }

    private void watch(Duration timeout) {
        try {
            if (finished.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException unexpected) {
            Thread.currentThread().interrupt();
        }
        hasPassed = true;
        close(guarded);
    }

    /** Cancels the deadline: the exchange finished in time. */
    @Override
    public void close() {
        finished.countDown();
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

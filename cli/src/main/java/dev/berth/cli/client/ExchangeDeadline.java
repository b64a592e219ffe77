package dev.berth.cli.client;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Aborts an exchange that takes too long. A blocking channel on a Unix socket has no timeout, but
 * closing the channel wakes a thread that is blocked in connect, write or read.
 *
 * <p>One thread watches all exchanges of a client, one after another: to start a thread for each
 * takes longer than a short exchange.
 */
final class ExchangeDeadline implements Closeable {

    private final AtomicReference<@Nullable Exchange> current = new AtomicReference<>();
    private volatile @Nullable Thread watcher;

    /** When the watcher looks again by itself; meaningful while it {@link #isAsleep}. */
    private volatile long wakesNanos;

    private volatile boolean isAsleep;

    /** An exchange that has not finished. */
    final class Exchange implements Closeable {

        private final long endNanos;
        private final AtomicBoolean isOver = new AtomicBoolean();
        private volatile @Nullable SocketChannel guarded;
        private volatile boolean hasPassed;

        private Exchange(long endNanos) {
            this.endNanos = endNanos;
        }

        void guard(SocketChannel channel) {
            guarded = channel;
            if (hasPassed) {
                ExchangeDeadline.close(channel);
            }
        }

        boolean hasPassed() {
            return hasPassed;
        }

        private void abort() {
            if (isOver.compareAndSet(false, true)) {
                hasPassed = true;
                ExchangeDeadline.close(guarded);
            }
        }

        /** The exchange has finished: its channel is not closed any more. */
        @Override
        public void close() {
            isOver.set(true);
            current.compareAndSet(this, null);
        }
    }

    /** Starts the watcher with the first exchange. */
    Exchange begin(Duration timeout) {
        Exchange next = new Exchange(System.nanoTime() + timeout.toNanos());
        current.set(next);
        Thread thread = watcher;
        if (thread == null) {
            Thread first = Thread.ofPlatform().daemon().name("deadline").unstarted(this::watch);
            watcher = first;
            first.start();
        } else if (!isAsleep || wakesNanos - next.endNanos > 0) {
            LockSupport.unpark(thread);
        }
        return next;
    }

    @Nullable Thread watcher() {
        return watcher;
    }

    private void watch() {
        while (isWatcher()) {
            Exchange next = current.get();
            long left = next == null ? Long.MAX_VALUE / 2 : next.endNanos - System.nanoTime();
            if (next != null && left <= 0) {
                next.abort();
                current.compareAndSet(next, null);
                continue;
            }
            wakesNanos = System.nanoTime() + left;
            isAsleep = true;
            // Set before the second look: an exchange that begins after it finds the watcher
            // asleep, and wakes it if its own end is earlier.
            if (current.get() == next && isWatcher()) {
                LockSupport.parkNanos(this, left);
            }
            isAsleep = false;
        }
    }

    private boolean isWatcher() {
        return Thread.currentThread().equals(watcher);
    }

    /** Ends the watcher. The next exchange starts another. */
    @Override
    public void close() {
        Thread ending = watcher;
        watcher = null;
        if (ending != null) {
            LockSupport.unpark(ending);
        }
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

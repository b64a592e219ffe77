package dev.berth.node.gpu;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads data of processes without blocking on them: a read about a process that hangs in a driver
 * may never return. Such a read continues in the background, and its result is used once it is
 * there. Used by one thread at a time.
 */
final class TimeLimitedReads<T> {

    private static final Duration TIMEOUT = Duration.ofMillis(300);

    /** Each occupies a thread. Beyond this number, further processes stay unknown. */
    private static final int MAX_PENDING = 16;

    private final ExecutorService threads =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().name("timed-read-", 0).daemon().factory());

    private final Map<Long, CompletableFuture<T>> pending = new HashMap<>();

    /** A read that may never return. */
    @FunctionalInterface
    interface Read<T> {
        T run() throws IOException;
    }

    /** The result if it comes quickly, or that of an earlier read that has completed since. */
    Optional<T> read(long pid, Read<T> read) throws IOException {
        var earlier = pending.get(pid);
        if (earlier != null && !earlier.isDone()) {
            return Optional.empty();
        }
        pending.remove(pid);
        pending.values().removeIf(CompletableFuture::isDone);
        if (pending.size() >= MAX_PENDING) {
            return Optional.empty();
        }
        var result = new CompletableFuture<T>();
        threads.execute(() -> complete(result, read));
        return await(pid, result);
    }

    private void complete(CompletableFuture<T> result, Read<T> read) {
        try {
            result.complete(read.run());
        } catch (IOException | RuntimeException failure) {
            result.completeExceptionally(failure);
        }
    }

    private Optional<T> await(long pid, CompletableFuture<T> result) throws IOException {
        try {
            return Optional.of(result.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException _) {
            pending.put(pid, result);
            return Optional.empty();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException failed) {
            throw new IOException("looking at process " + pid, failed.getCause());
        }
    }
}

package dev.berth.node.card;

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
 * Looks at processes without getting stuck with them: what the kernel tells of one that hangs in a
 * driver may never come. Such a look is left alone, and what it finds is taken when it is there.
 * Used by one thread at a time.
 */
final class Looks<T> {

    private static final Duration PATIENCE = Duration.ofMillis(300);

    /** Each holds a thread; whoever hangs beyond that is simply not known. */
    private static final int MOST_STUCK = 16;

    private final ExecutorService threads =
            Executors.newCachedThreadPool(Thread.ofPlatform().name("look-", 0).daemon().factory());

    private final Map<Long, CompletableFuture<T>> stuck = new HashMap<>();

    /** A look that may not return. */
    @FunctionalInterface
    interface Look<T> {
        T at() throws IOException;
    }

    /** What is found at once, or was found by an earlier look that took its time. */
    Optional<T> look(long pid, Look<T> look) throws IOException {
        var earlier = stuck.get(pid);
        if (earlier != null && !earlier.isDone()) {
            return Optional.empty();
        }
        stuck.remove(pid);
        stuck.values().removeIf(CompletableFuture::isDone);
        if (stuck.size() >= MOST_STUCK) {
            return Optional.empty();
        }
        var result = new CompletableFuture<T>();
        threads.execute(() -> complete(result, look));
        return await(pid, result);
    }

    private void complete(CompletableFuture<T> result, Look<T> look) {
        try {
            result.complete(look.at());
        } catch (IOException | RuntimeException failure) {
            result.completeExceptionally(failure);
        }
    }

    private Optional<T> await(long pid, CompletableFuture<T> result) throws IOException {
        try {
            return Optional.of(result.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException _) {
            stuck.put(pid, result);
            return Optional.empty();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException failed) {
            throw new IOException("looking at process " + pid, failed.getCause());
        }
    }
}

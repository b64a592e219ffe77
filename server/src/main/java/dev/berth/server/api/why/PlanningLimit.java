package dev.berth.server.api.why;

import dev.berth.http.RejectedException;
import dev.berth.http.RouteResponse;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How many requests may plan at the same time, and for which part of the time. Each plans several
 * times, and the engine needs the processors for starting tasks.
 */
final class PlanningLimit {

    /** On a small machine, the pause after each turn is this many times as long as the turn. */
    private static final int REST = 3;

    private final Semaphore free;
    private final Duration patience;
    private final int rest;
    private volatile long nextNanos = System.nanoTime();

    /**
     * @param patience how long a request waits for those before it
     */
    PlanningLimit(int atOnce, Duration patience) {
        this.free = new Semaphore(atOnce, true);
        this.patience = patience;
        this.rest = atOnce == 1 ? REST : 0;
    }

    /** A quarter of the processors; the console waits ten seconds for a response. */
    static PlanningLimit usual() {
        int atOnce = Math.max(1, Runtime.getRuntime().availableProcessors() / 4);
        return new PlanningLimit(atOnce, Duration.ofSeconds(5));
    }

    /**
     * Waits for other requests.
     *
     * @throws RejectedException if they take too long
     */
    Turn begin() throws RejectedException {
        try {
            if (free.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return turn();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        throw new RejectedException(
                RouteResponse.problem(503, "server.busy", Map.of()).with("Retry-After", "1"));
    }

    private Turn turn() {
        long early = nextNanos - System.nanoTime();
        if (early > 0) {
            LockSupport.parkNanos(early);
        }
        long begin = System.nanoTime();
        return () -> {
            long end = System.nanoTime();
            nextNanos = end + rest * (end - begin);
            free.release();
        };
    }

    /** A request that plans until it is closed. */
    @FunctionalInterface
    interface Turn extends AutoCloseable {
        @Override
        void close();
    }
}

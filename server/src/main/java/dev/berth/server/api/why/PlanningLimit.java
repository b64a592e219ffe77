package dev.berth.server.api.why;

import dev.berth.http.RejectedException;
import dev.berth.http.RouteResponse;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * How many requests may plan at the same time. Each plans several times, and the engine needs the
 * processors for starting tasks.
 */
final class PlanningLimit {

    private final Semaphore free;
    private final Duration patience;

    /**
     * @param patience how long a request waits for those before it
     */
    PlanningLimit(int atOnce, Duration patience) {
        this.free = new Semaphore(atOnce, true);
        this.patience = patience;
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
                return free::release;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        throw new RejectedException(
                RouteResponse.problem(503, "server.busy", Map.of()).with("Retry-After", "1"));
    }

    /** A request that plans until it is closed. */
    @FunctionalInterface
    interface Turn extends AutoCloseable {
        @Override
        void close();
    }
}

package dev.berth.server.api;

import dev.berth.http.RejectedException;
import dev.berth.http.RouteResponse;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * One search at a time: a search reads all tasks or events, and the few readers of the database
 * also serve the streams of events.
 */
public final class SearchLimit {

    private final Semaphore free = new Semaphore(1, true);
    private final Duration patience;

    /**
     * @param patience how long a search waits for the one before it
     */
    public SearchLimit(Duration patience) {
        this.patience = patience;
    }

    /** The console waits ten seconds for a response. */
    public static SearchLimit usual() {
        return new SearchLimit(Duration.ofSeconds(5));
    }

    /**
     * Waits for other searches.
     *
     * @throws RejectedException if they take too long
     */
    public Search begin() throws RejectedException {
        try {
            if (free.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return free::release;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new RejectedException(
                RouteResponse.problem(503, "server.busy", Map.of()).with("Retry-After", "1"));
    }

    /** A search that runs until it is closed. */
    @FunctionalInterface
    public interface Search extends AutoCloseable {
        @Override
        void close();
    }
}

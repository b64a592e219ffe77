package dev.berth.http.limit;

import dev.berth.http.RejectedException;
import dev.berth.http.RouteResponse;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Memory for requests that need much of it at once, such as long bodies: together they stay below a
 * part of the heap, and those beyond it wait for a moment.
 */
public final class MemoryBudget {

    /** What a single request always gets without asking. */
    public static final int FREE_BYTES = 64 << 10;

    /** A share of the heap: a parsed body takes several times its length. */
    private static final int HEAP_SHARE = 16;

    private static final int KIB = 1024;

    private static final MemoryBudget OF_THIS_PROCESS =
            new MemoryBudget(Runtime.getRuntime().maxMemory() / HEAP_SHARE, Duration.ofSeconds(10));

    private final int totalKib;
    private final Semaphore freeKib;
    private final Duration patience;

    /**
     * @param patience how long a request waits for others to finish
     */
    public MemoryBudget(long bytes, Duration patience) {
        this.totalKib = Math.max(1, Math.toIntExact(bytes / KIB));
        this.freeKib = new Semaphore(totalKib, true);
        this.patience = patience;
    }

    /** The one for the heap of this process: all that need memory at once share it. */
    public static MemoryBudget ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    /**
     * Waits for room. One request may take the whole budget, but not more.
     *
     * @throws RejectedException if there is none in time; nothing was done
     */
    public Reservation reserve(long bytes) throws RejectedException {
        if (bytes <= FREE_BYTES) {
            return () -> {};
        }
        int kib = (int) Math.min(totalKib, bytes / KIB);
        try {
            if (freeKib.tryAcquire(kib, patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return () -> freeKib.release(kib);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new RejectedException(
                RouteResponse.problem(503, "server.busy", Map.of()).with("Retry-After", "1"));
    }

    /** Memory of one request, until it is closed. */
    @FunctionalInterface
    public interface Reservation extends AutoCloseable {
        @Override
        void close();
    }
}

package dev.berth.app;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads that exist before they are needed: at the process limit the kernel creates no new ones,
 * and requests must still be answered.
 */
final class PreparedThreads {

    /** Less than the time after which the JDK ends an idle carrier of virtual threads. */
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);

    private static final long SPIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private PreparedThreads() {}

    /** A pool of a fixed size, all of whose threads are started now. */
    static ExecutorService pool(int size, ThreadFactory factory) {
        var pool =
                new ThreadPoolExecutor(
                        size, size, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.prestartAllCoreThreads();
        return pool;
    }

    /** Starts the carriers of virtual threads and keeps at least one. */
    static AutoCloseable carriers() {
        int count = Runtime.getRuntime().availableProcessors();
        var waiting = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            Thread.ofVirtual().start(() -> occupyCarrier(waiting));
        }
        var keeper = Thread.ofVirtual().name("carrier-keeper").start(PreparedThreads::keep);
        return keeper::interrupt;
    }

    /** Each spinning thread needs a carrier of its own until all of them run. */
    private static void occupyCarrier(CountDownLatch waiting) {
        waiting.countDown();
        long begin = System.nanoTime();
        while (waiting.getCount() > 0 && System.nanoTime() - begin < SPIN_NANOS) {
            Thread.onSpinWait();
        }
    }

    private static void keep() {
        try {
            while (true) {
                Thread.sleep(KEEP_ALIVE);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.berth.retention;

import dev.berth.port.StoreFailure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The thread of the retention: a batch, a pause, and a long pause when nothing is left to do. */
public final class RetentionLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RetentionLoop.class);

    /** The server has just recovered and is busy. */
    private static final Duration START_DELAY = Duration.ofSeconds(3);

    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration LONG_PAUSE = Duration.ofMinutes(10);

    private final Retention retention;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("retention").daemon().factory());

    private RetentionLoop(Retention retention) {
        this.retention = retention;
    }

    public static RetentionLoop start(Retention retention) {
        var loop = new RetentionLoop(retention);
        loop.continueAfter(START_DELAY);
        return loop;
    }

    private void continueAfter(Duration delay) {
        if (!thread.isShutdown()) {
            var _ = thread.schedule(this::run, delay.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void run() {
        boolean hasMore = false;
        try {
            hasMore = retention.step();
        } catch (StoreFailure | IOException | RuntimeException failure) {
            log.warn("the folders of ended tasks are left as they are: {}", failure.toString());
        }
        continueAfter(hasMore ? PAUSE : LONG_PAUSE);
    }

    /** A batch that is interrupted is repeated by the next server. */
    @Override
    public void close() throws InterruptedException {
        thread.shutdownNow();
        var _ = thread.awaitTermination(10, TimeUnit.SECONDS);
    }
}

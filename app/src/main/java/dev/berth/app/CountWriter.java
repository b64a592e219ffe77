package dev.berth.app;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Writes the counts of log lines that were left out, even if no further line is logged. */
final class CountWriter implements AutoCloseable {

    private static final int SECONDS_BETWEEN = 5;

    private final Runnable writeAll;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("log-counts").factory());

    /**
     * @param writeFinished writes the counts of the minutes that are over
     * @param writeAll writes all counts, at the end
     */
    CountWriter(Runnable writeFinished, Runnable writeAll) {
        this.writeAll = writeAll;
        var _ =
                timer.scheduleWithFixedDelay(
                        writeFinished, SECONDS_BETWEEN, SECONDS_BETWEEN, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
        writeAll.run();
    }
}

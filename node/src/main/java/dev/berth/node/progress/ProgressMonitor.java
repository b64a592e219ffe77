package dev.berth.node.progress;

import dev.berth.core.id.AttemptId;
import dev.berth.port.Fact;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Checks the logs of all running attempts in one thread, and reports their progress. */
public final class ProgressMonitor implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ProgressMonitor.class);

    static final Duration CHECK_INTERVAL = Duration.ofSeconds(2);

    private final Duration stallAfter;
    private final LongSupplier nanos;
    private final Consumer<Fact> facts;
    private final Map<AttemptId, ProgressFollower> followed = new ConcurrentHashMap<>();
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("progress").daemon().factory());

    /**
     * @param stallAfter an attempt without progress for this time is reported as stalled; zero
     *     disables the check
     * @param nanos a monotonic clock
     */
    public ProgressMonitor(Duration stallAfter, LongSupplier nanos, Consumer<Fact> facts) {
        this.stallAfter = stallAfter;
        this.nanos = nanos;
        this.facts = facts;
    }

    public void start() {
        var every = CHECK_INTERVAL.toMillis();
        var _ =
                scheduler.scheduleWithFixedDelay(
                        this::checkAll, every, every, TimeUnit.MILLISECONDS);
    }

    /** Follows the log until the returned handle is closed. */
    public FollowedLog follow(AttemptId attempt, Path logFile) {
        var follower = new ProgressFollower(attempt, logFile, stallAfter);
        followed.put(attempt, follower);
        return () -> followed.remove(attempt, follower);
    }

    public interface FollowedLog extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Checks each log once. A log that cannot be read or parsed is dropped, so that it does not
     * delay the others.
     */
    void checkAll() {
        followed.forEach(
                (attempt, follower) -> {
                    try {
                        follower.check(nanos.getAsLong(), facts);
                    } catch (IOException | RuntimeException failure) {
                        followed.remove(attempt, follower);
                        log.warn(
                                "task={} attempt={} is followed no longer: {}",
                                attempt.task(),
                                attempt.number(),
                                failure.toString());
                    }
                });
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}

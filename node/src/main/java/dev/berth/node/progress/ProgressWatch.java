package dev.berth.node.progress;

import dev.berth.core.task.AttemptId;
import dev.berth.engine.port.Fact;

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

/** Looks at the logs of all running attempts in one thread, and tells what it sees. */
public final class ProgressWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ProgressWatch.class);

    static final Duration LOOK_EVERY = Duration.ofSeconds(2);

    private final Duration stallAfter;
    private final LongSupplier nanos;
    private final Consumer<Fact> facts;
    private final Map<AttemptId, Follower> followed = new ConcurrentHashMap<>();
    private final ScheduledExecutorService looks =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("progress").daemon().factory());

    /**
     * @param stallAfter without an advance an attempt is told of as standing still; zero for never
     * @param nanos a clock that only goes forward
     */
    public ProgressWatch(Duration stallAfter, LongSupplier nanos, Consumer<Fact> facts) {
        this.stallAfter = stallAfter;
        this.nanos = nanos;
        this.facts = facts;
    }

    public void start() {
        var every = LOOK_EVERY.toMillis();
        var _ = looks.scheduleWithFixedDelay(this::look, every, every, TimeUnit.MILLISECONDS);
    }

    /** From now on, until the answer is closed. */
    public Followed follow(AttemptId attempt, Path logFile) {
        var follower = new Follower(attempt, logFile, stallAfter);
        followed.put(attempt, follower);
        return () -> followed.remove(attempt, follower);
    }

    /** An attempt that is being followed. */
    public interface Followed extends AutoCloseable {
        @Override
        void close();
    }

    /** At each log once. One that cannot be read, or not be understood, keeps no other waiting. */
    void look() {
        followed.forEach(
                (attempt, follower) -> {
                    try {
                        follower.look(nanos.getAsLong(), facts);
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
        looks.shutdownNow();
    }
}

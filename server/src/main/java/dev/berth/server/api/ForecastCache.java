package dev.berth.server.api;

import dev.berth.core.forecast.Forecast;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineState;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The newest forecast. It is computed while somebody asks and only if something has changed: one
 * computation at a time, on the given executor, and for at most a twentieth of the time.
 */
public final class ForecastCache {

    private static final Logger log = LoggerFactory.getLogger(ForecastCache.class);

    private static final Duration LIST_INTERVAL = Duration.ofSeconds(1);

    /** A list shows a forecast of this age without waiting for a newer one. */
    private static final Duration LIST_AGE = Duration.ofSeconds(30);

    private static final Duration MAX_WAIT = Duration.ofMillis(250);

    private static final int REST = 20;

    private final EngineLoop loop;
    private final Executor executor;
    private final LongSupplier nanos;
    private final AtomicReference<@Nullable Pending> pending = new AtomicReference<>();
    private volatile Computed computed;

    /**
     * @param state what it was computed from
     * @param asOf when that was read, in nanoseconds
     */
    private record Computed(
            Forecast forecast, @Nullable EngineState state, long asOf, long costNanos) {}

    /** A computation, and when it began. */
    private record Pending(CompletableFuture<Computed> result, long since) {}

    /**
     * @param executor its tasks take up to about a second
     * @param nanos a clock that does not jump
     */
    public ForecastCache(EngineLoop loop, Executor executor, LongSupplier nanos) {
        this.loop = loop;
        this.executor = executor;
        this.nanos = nanos;
        this.computed =
                new Computed(Forecast.NONE, null, nanos.getAsLong() - LIST_AGE.toNanos() - 1, 0);
    }

    /** The last one, however old: costs nothing, so also for replies that must not wait. */
    public Forecast newest() {
        return computed.forecast();
    }

    /** For many tasks: does not wait, unless the forecast is old. */
    public Forecast recent() {
        var last = computed;
        long age = nanos.getAsLong() - last.asOf();
        long interval = Math.max(LIST_INTERVAL.toNanos(), REST * last.costNanos());
        if (isCurrent(last) || age < interval) {
            return last.forecast();
        }
        var run = begin();
        if (age > LIST_AGE.toNanos()) {
            await(run);
        }
        return computed.forecast();
    }

    /** For single tasks: of the state that is committed now, unless that takes too long. */
    public Forecast fresh() {
        long asked = nanos.getAsLong();
        var last = computed;
        if (isCurrent(last) || asked - last.asOf() < REST * last.costNanos()) {
            return last.forecast();
        }
        // One that has begun before may not know the newest tasks.
        boolean isDone = await(begin());
        if (isDone && computed.asOf() < asked) {
            await(begin());
        }
        return computed.forecast();
    }

    @SuppressWarnings("ReferenceEquality") // each commit publishes a new state
    private boolean isCurrent(Computed one) {
        return one.state() == loop.state()
                && nanos.getAsLong() - one.asOf() < LIST_INTERVAL.toNanos();
    }

    private Pending begin() {
        var next = new Pending(new CompletableFuture<>(), nanos.getAsLong());
        var running = pending.compareAndExchange(null, next);
        if (running != null) {
            return running;
        }
        try {
            executor.execute(() -> compute(next.result()));
        } catch (RejectedExecutionException _) {
            // The server is stopping.
            end(next.result());
        }
        return next;
    }

    private void compute(CompletableFuture<Computed> result) {
        var state = loop.state();
        long asOf = nanos.getAsLong();
        var forecast = Forecast.NONE;
        try {
            forecast = loop.engine().forecastInput(loop.now()).forecast();
        } catch (RuntimeException defect) {
            log.error("computing expected starts failed; none is shown", defect);
        } finally {
            computed = new Computed(forecast, state, asOf, nanos.getAsLong() - asOf);
            end(result);
        }
    }

    private void end(CompletableFuture<Computed> result) {
        pending.set(null);
        result.complete(computed);
    }

    /** False if it takes longer; then nobody else waits for it either. */
    private boolean await(Pending run) {
        long left = MAX_WAIT.toNanos() - (nanos.getAsLong() - run.since());
        try {
            run.result().get(Math.max(0, left), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException | ExecutionException _) {
            return false;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

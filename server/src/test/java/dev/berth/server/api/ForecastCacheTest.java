package dev.berth.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.forecast.Forecast;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.task.Need;
import dev.berth.core.task.TaskSpec;
import dev.berth.testengine.TestEngine;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

class ForecastCacheTest {

    private final TestEngine engine = TestEngine.open();
    private final AtomicLong nanos = new AtomicLong();
    private final ArrayDeque<Runnable> started = new ArrayDeque<>();
    private int computed;

    @AfterEach
    void close() {
        engine.close();
    }

    /** Computes at once, in no time. */
    private ForecastCache direct() {
        return new ForecastCache(
                engine.loop,
                work -> {
                    computed++;
                    work.run();
                },
                nanos::get);
    }

    private TaskId submit(int gpus) {
        return engine.submit(
                TaskSpec.of("n", "true", Need.gpus(gpus), "/").with(Duration.ofSeconds(100)));
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void aSingleTaskIsForecastFromTheCommittedState() {
        var cache = direct();
        submit(2);
        var waiting = submit(2);
        assertThat(cache.newest()).isEqualTo(Forecast.NONE);
        assertThat(cache.fresh().start(waiting)).isPresent();
        var next = submit(1);
        assertThat(cache.fresh().start(next)).isPresent();
        assertThat(cache.newest().start(next)).isPresent();
    }

    @Test
    void whileNothingChangesNothingIsComputed() {
        var cache = direct();
        engine.awaitRunning(new AttemptId(submit(2), 1));
        for (int call = 0; call < 100; call++) {
            cache.fresh();
            cache.recent();
        }
        assertThat(computed).isEqualTo(1);
    }

    @Test
    void aListRefreshesAtMostOnceASecond() {
        var cache = direct();
        cache.recent();
        for (int call = 0; call < 20; call++) {
            submit(1);
            cache.recent();
            pass(Duration.ofMillis(100));
        }
        assertThat(computed).isEqualTo(2);
    }

    @Test
    void anExpensiveForecastIsComputedLessOften() {
        var cache =
                new ForecastCache(
                        engine.loop,
                        work -> {
                            computed++;
                            work.run();
                        },
                        () -> nanos.addAndGet(Duration.ofMillis(10).toNanos()));
        cache.fresh();
        int before = computed;
        submit(1);
        cache.fresh();
        assertThat(computed).isEqualTo(before);
        pass(Duration.ofSeconds(2));
        cache.fresh();
        assertThat(computed).isEqualTo(before + 1);
    }

    @Test
    void onlyOneComputationRunsAtATimeAndNobodyWaitsForItForLong() {
        var cache = new ForecastCache(engine.loop, started::add, nanos::get);
        var waiting = submit(1);
        assertThat(cache.recent()).isEqualTo(Forecast.NONE);
        pass(Duration.ofSeconds(60));
        assertThat(cache.recent()).isEqualTo(Forecast.NONE);
        assertThat(started).hasSize(1);
        started.remove().run();
        assertThat(cache.newest().end(waiting)).isPresent();
    }

    @Test
    void whenTheServerStopsTheLastForecastIsShown() {
        var cache =
                new ForecastCache(
                        engine.loop,
                        _ -> {
                            throw new RejectedExecutionException();
                        },
                        nanos::get);
        assertThat(cache.recent()).isEqualTo(Forecast.NONE);
    }
}

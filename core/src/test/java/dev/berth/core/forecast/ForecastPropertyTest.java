package dev.berth.core.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.TreeMap;

/** The forecast with true run times against the planner, asked step by step. */
class ForecastPropertyTest {

    @Test
    void withTrueRunTimesTheForecastIsWhatHappens() {
        int compared = 0;
        for (long seed = 0; seed < 400; seed++) {
            var world = new LiveWorld(seed);
            var forecast =
                    new Forecaster(world.planner, Duration.ZERO)
                            .forecast(
                                    world.scene.snapshot(),
                                    world.scene.runningTasks(),
                                    world.scene.runTimes());
            var starts = world.live();
            var expected = new TreeMap<TaskId, Instant>();
            forecast.waiting().forEach((id, run) -> expected.put(id, run.start().expected()));
            assertThat(expected).as("seed %d", seed).isEqualTo(starts);
            forecast.waiting()
                    .forEach(
                            (id, run) -> {
                                var end = starts.get(id).plus(world.length(id));
                                assertThat(run.start().latest()).hasValue(starts.get(id));
                                assertThat(run.end()).map(TimeRange::expected).hasValue(end);
                            });
            compared += starts.size();
        }
        assertThat(compared).isGreaterThan(4000);
    }
}

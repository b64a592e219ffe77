package dev.berth.core.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Backfill;
import dev.berth.core.plan.BestScorePlacement;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.Claim;
import dev.berth.core.task.Need;
import dev.berth.core.task.Phase;
import dev.berth.core.task.StopCause;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

class ForecasterTest {

    private static final Instant NOW = ForecastScene.T0;

    private static Forecast forecast(ForecastScene scene) {
        var planner =
                new Planner(SchedulingRules.DEFAULT, new Backfill.Off(), new BestScorePlacement());
        return new Forecaster(planner, Duration.ofSeconds(1))
                .forecast(scene.snapshot(), scene.runningTasks(), scene.runTimes());
    }

    private static TimeRange in(long seconds, long latestSeconds) {
        return new TimeRange(NOW.plusSeconds(seconds), Optional.of(NOW.plusSeconds(latestSeconds)));
    }

    private static TaskId id(long id) {
        return new TaskId(id);
    }

    @Test
    void theHeadStartsWhenTheRunningTaskEndsAndTheNextOneAfterIt() {
        var scene = new ForecastScene(1);
        scene.runsOn(1, 0, Duration.ofSeconds(0));
        scene.queue(2, Need.gpus(1));
        scene.queue(3, Need.gpus(1));
        scene.takes(1, Duration.ofSeconds(60), Duration.ofSeconds(90));
        scene.takes(2, Duration.ofSeconds(10), Duration.ofSeconds(20));
        scene.takes(3, Duration.ofSeconds(5));

        var forecast = forecast(scene);

        assertThat(forecast.end(id(1))).hasValue(in(60, 90));
        assertThat(forecast.start(id(1))).isEmpty();
        assertThat(forecast.start(id(2))).hasValue(in(60, 90));
        assertThat(forecast.end(id(2))).hasValue(in(70, 110));
        assertThat(forecast.start(id(3))).hasValue(in(70, 110));
        assertThat(forecast.end(id(3))).hasValue(in(75, 115));
        assertThat(forecast.waiting().get(id(3)).gpus()).containsExactly(ForecastScene.gpu(0));
    }

    @Test
    void whatDependsOnAnUnknownRunTimeHasNoExpectedStart() {
        var scene = new ForecastScene(1);
        scene.runsOn(1, 0, Duration.ofSeconds(30));
        scene.queue(2, Need.gpus(1));
        scene.takes(2, Duration.ofSeconds(10));

        assertThat(forecast(scene).end(id(1))).isEmpty();
        assertThat(forecast(scene).start(id(2))).isEmpty();
        assertThat(forecast(scene).end(id(2))).isEmpty();
    }

    @Test
    void aTaskOfUnknownLengthHasAStartButNoEndAndNothingStartsAfterIt() {
        var scene = new ForecastScene(1);
        scene.runsOn(1, 0, Duration.ZERO);
        scene.takes(1, Duration.ofSeconds(60));
        scene.queue(2, Need.gpus(1));
        scene.queue(3, Need.gpus(1));
        scene.takes(3, Duration.ofSeconds(60));

        assertThat(forecast(scene).start(id(2))).hasValue(in(60, 60));
        assertThat(forecast(scene).end(id(2))).isEmpty();
        assertThat(forecast(scene).start(id(3))).isEmpty();
    }

    @Test
    void otherGpusAreNotAffectedByAnUnknownRunTime() {
        var scene = new ForecastScene(2);
        scene.runsOn(1, 0, Duration.ZERO);
        scene.runsOn(2, 1, Duration.ZERO);
        scene.takes(2, Duration.ofSeconds(60));
        scene.queue(3, Need.gpus(1));
        scene.queue(4, Need.gpus(2));

        assertThat(forecast(scene).start(id(3))).hasValue(in(60, 60));
        assertThat(forecast(scene).start(id(4))).isEmpty();
    }

    @Test
    void aTimeLimitIsTheRunTimeOfATaskWithoutPastAndAnUpperBoundOfOthers() {
        var scene = new ForecastScene(1);
        var running = scene.runsOn(1, 0, Duration.ofSeconds(10));
        var limited = running.with(running.spec().with(Duration.ofSeconds(100)));
        scene.runs(
                limited, Duration.ofSeconds(10), List.of(new Claim(ForecastScene.gpu(0), 0, true)));
        var next = scene.queue(2, Need.gpus(1));
        scene.queue(next.with(next.spec().with(Duration.ofSeconds(50))));
        scene.takes(2, Duration.ofSeconds(30), Duration.ofSeconds(200));

        assertThat(forecast(scene).end(id(1))).hasValue(in(90, 90));
        assertThat(forecast(scene).end(id(2))).hasValue(in(120, 140));
    }

    @Test
    void aTaskThatHasOutlivedItsMedianStillHasTimeLeftAndTheMoreTheLongerItRuns() {
        var before = Duration.ZERO;
        for (int elapsed : new int[] {60, 90, 120, 600, 6000, 600_000}) {
            var scene = new ForecastScene(1);
            scene.runsOn(1, 0, Duration.ofSeconds(elapsed));
            scene.takes(1, Duration.ofSeconds(60), Duration.ofSeconds(120));
            var end = forecast(scene).end(id(1)).orElseThrow();
            var left = Duration.between(NOW, end.expected());
            assertThat(left).isGreaterThan(before);
            assertThat(end.latest().orElseThrow()).isAfter(end.expected());
            before = left;
        }
    }

    @Test
    void aTaskThatOutlivesEqualRunsIsNotOverAtOnceForEver() {
        for (int elapsed : new int[] {60, 61, 100, 1000}) {
            var scene = new ForecastScene(1);
            scene.runsOn(1, 0, Duration.ofSeconds(elapsed));
            scene.takes(1, Duration.ofSeconds(60));
            var end = forecast(scene).end(id(1)).orElseThrow();
            assertThat(Duration.between(NOW, end.expected()).toMillis())
                    .isGreaterThan(elapsed * 50L);
        }
    }

    @Test
    void aPastOfZeroSecondsAndATaskThatStartsInTheFutureAreHarmless() {
        var scene = new ForecastScene(1);
        scene.runsOn(1, 0, Duration.ofSeconds(-100));
        scene.queue(2, Need.gpus(1));
        scene.takes(1, Duration.ZERO);
        scene.takes(2, Duration.ZERO);

        assertThat(forecast(scene).end(id(1)).orElseThrow().expected()).isAfterOrEqualTo(NOW);
        assertThat(forecast(scene).start(id(2))).isPresent();
    }

    @Test
    void whileStartsArePausedNothingHasAnExpectedStartButRunningTasksHaveAnEnd() {
        var scene = new ForecastScene(1);
        scene.runsOn(1, 0, Duration.ZERO);
        scene.takes(1, Duration.ofSeconds(60));
        scene.queue(2, Need.gpus(1));
        scene.pause = Optional.of(new WaitReason.Paused(WaitReason.Paused.PauseCause.STOPPED, ""));

        assertThat(forecast(scene).start(id(2))).isEmpty();
        assertThat(forecast(scene).end(id(1))).hasValue(in(60, 60));
    }

    @Test
    void aLostOrStuckTaskHasNoEndAndAStoppingOneEndsSoon() {
        var scene = new ForecastScene(3);
        var lost = new Phase.Lost(Optional.empty(), "no contact");
        var stuck = new Phase.Stuck(Optional.empty(), StopCause.CANCELLED, "1 process");
        var stopping = new Phase.Stopping(Optional.empty(), StopCause.CANCELLED, NOW);
        int gpu = 0;
        for (var phase : List.of(lost, stuck, stopping)) {
            var task = scene.runsOn(gpu + 1, gpu, Duration.ofSeconds(5));
            scene.runs(
                    task,
                    Duration.ofSeconds(5),
                    List.of(new Claim(ForecastScene.gpu(gpu++), 0, true)),
                    phase);
            scene.takes(gpu, Duration.ofHours(1));
        }
        var forecast = forecast(scene);

        assertThat(forecast.end(id(1))).isEmpty();
        assertThat(forecast.end(id(2))).isEmpty();
        assertThat(forecast.end(id(3)).orElseThrow().expected())
                .isBetween(NOW, NOW.plusSeconds(60));
    }

    @Test
    void onlyTheFirstTasksOfALongQueueAreForecastAndCpuTasksDoNotWaitForThem() {
        var scene = new ForecastScene(2);
        for (long id = 1; id <= Forecaster.MAX_TASKS + 500; id++) {
            scene.queue(id, Need.gpus(1));
            scene.takes(id, Duration.ofSeconds(10));
        }
        scene.queue(9000, Need.CPU);

        var forecast = forecast(scene);

        assertThat(forecast.start(id(Forecaster.MAX_TASKS)))
                .hasValue(in(5L * Forecaster.MAX_TASKS - 10, 5L * Forecaster.MAX_TASKS - 10));
        assertThat(forecast.start(id(Forecaster.MAX_TASKS + 1))).isEmpty();
        assertThat(forecast.start(id(9000))).hasValue(in(0, 0));
    }
}

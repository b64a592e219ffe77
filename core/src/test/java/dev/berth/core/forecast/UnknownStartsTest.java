package dev.berth.core.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.forecast.UnknownStart.Cause;
import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Backfill;
import dev.berth.core.plan.BestScorePlacement;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.SchedulingRules;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskSpec;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Optional;

/** Why the start of a waiting task is unknown. */
class UnknownStartsTest {

    private final ForecastScene scene = new ForecastScene(2);

    private static Forecast forecast(ForecastScene scene) {
        var planner =
                new Planner(SchedulingRules.DEFAULT, new Backfill.Off(), new BestScorePlacement());
        return new Forecaster(planner, Duration.ofSeconds(1))
                .forecast(scene.snapshot(), scene.runningTasks(), scene.runTimes());
    }

    private static Need.Gpus on(int gpu) {
        return Need.Gpus.on(GpuIndices.of(gpu), Optional.empty(), Need.GpuMemory.UNSTATED);
    }

    @Test
    void theRunningTaskWithoutAPastIsNamedIfItHoldsAGpuThatIsNeeded() {
        scene.runsOn(1, 0, Duration.ZERO);
        scene.runsOn(2, 1, Duration.ZERO);
        scene.takes(1, Duration.ofSeconds(60));
        var onKnown = scene.queue(3, on(0));
        var onUnknown = scene.queue(4, on(1));
        scene.takes(3, Duration.ofSeconds(60));
        var forecast = forecast(scene);
        assertThat(forecast.start(onKnown.id())).isPresent();
        assertThat(forecast.start(onUnknown.id())).isEmpty();
        assertThat(forecast.unknown().of(onUnknown))
                .isEqualTo(new UnknownStart(Cause.RUNNING_TASK, new TaskId(2)));
    }

    @Test
    void elseTheFirstTaskAheadWithoutAPast() {
        scene.runsOn(1, 0, Duration.ZERO);
        scene.runsOn(2, 1, Duration.ZERO);
        scene.takes(1, Duration.ofSeconds(60));
        scene.takes(2, Duration.ofSeconds(60));
        scene.queue(3, Need.gpus(2));
        var last = scene.queue(4, Need.gpus(2));
        var forecast = forecast(scene);
        assertThat(forecast.start(new TaskId(3))).isPresent();
        assertThat(forecast.start(last.id())).isEmpty();
        assertThat(forecast.unknown().of(last))
                .isEqualTo(new UnknownStart(Cause.TASK_AHEAD, new TaskId(3)));
    }

    @Test
    void aPauseAndTooFewGpusAndAnOldForecastAreNamed() {
        var large = scene.queue(3, Need.gpus(9));
        assertThat(forecast(scene).unknown().of(large).cause()).isEqualTo(Cause.NEVER_POSSIBLE);
        var old = forecast(scene);
        var later = scene.queue(4, Need.gpus(1));
        assertThat(old.unknown().of(later).cause()).isEqualTo(Cause.NOT_COMPUTED);
        assertThat(Forecast.NONE.unknown().of(later).cause()).isEqualTo(Cause.NOT_COMPUTED);
        scene.pause = Optional.of(new WaitReason.Paused(WaitReason.Paused.PauseCause.STOPPED, ""));
        assertThat(forecast(scene).unknown().of(later).cause()).isEqualTo(Cause.PAUSED);
    }

    @Test
    void aPauseIsNamedWithItsCauseAlsoForATaskThatIsDelayed() {
        var pause =
                new WaitReason.Paused(
                        WaitReason.Paused.PauseCause.MACHINE_FAULT, "the disk is full");
        scene.pause = Optional.of(pause);
        var queued = scene.queue(3, Need.gpus(1));
        var delayed = scene.queue(delayed(4));
        var unknown = forecast(scene).unknown();
        assertThat(unknown.of(queued)).isEqualTo(new UnknownStart(pause));
        assertThat(unknown.of(delayed)).isEqualTo(new UnknownStart(pause));
    }

    @Test
    void theTaskInTheWayOfADelayedTaskIsNamed() {
        scene.runsOn(1, 0, Duration.ZERO);
        scene.runsOn(2, 1, Duration.ZERO);
        var delayed = scene.queue(delayed(3));
        assertThat(forecast(scene).start(delayed.id())).isEmpty();
        assertThat(forecast(scene).unknown().of(delayed))
                .isEqualTo(new UnknownStart(Cause.RUNNING_TASK, new TaskId(1)));
    }

    private Task delayed(long id) {
        return scene.task(id, "ann", TaskSpec.of("task" + id, "true", Need.gpus(1), "/"))
                .withNotBefore(Optional.of(ForecastScene.T0.plusSeconds(60)));
    }
}

package dev.berth.core.forecast;

import dev.berth.core.id.TaskId;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.predict.RunTimes;

import java.util.List;
import java.util.Optional;

/**
 * Everything that a forecast depends on, as of one moment.
 *
 * @param running all running tasks, without workers
 */
public record ForecastInput(
        Forecaster forecaster, Snapshot snapshot, List<RunningTask> running, RunTimes times) {

    public ForecastInput {
        running = List.copyOf(running);
    }

    public Forecast forecast() {
        return forecaster.forecast(snapshot, running, times);
    }

    /** The start of one task, also of one that waits only in the other snapshot. */
    public Optional<TimeRange> start(TaskId task, Snapshot other) {
        return forecaster.start(task, other, running, times);
    }
}

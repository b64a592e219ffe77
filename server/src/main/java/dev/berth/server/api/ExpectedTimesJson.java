package dev.berth.server.api;

import dev.berth.core.forecast.Forecast;
import dev.berth.core.forecast.TimeRange;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.json.IsoTime;
import dev.berth.wire.ExpectedTimes;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Optional;

/** Converts expected starts and ends to JSON. */
public final class ExpectedTimesJson {

    private ExpectedTimesJson() {}

    /** The task may have started or ended since the forecast. */
    public static ExpectedTimes of(Task task, Forecast forecast) {
        return switch (task.state()) {
            case TaskState.Queued _ -> json(forecast.start(task.id()), forecast.end(task.id()));
            case TaskState.Running _ -> json(Optional.empty(), forecast.end(task.id()));
            case TaskState.Pending _,
                    TaskState.Completed _,
                    TaskState.Failed _,
                    TaskState.Cancelled _ ->
                    ExpectedTimes.NONE;
        };
    }

    private static ExpectedTimes json(Optional<TimeRange> start, Optional<TimeRange> end) {
        return new ExpectedTimes(expected(start), latest(start), expected(end), latest(end));
    }

    public static @Nullable String expected(Optional<TimeRange> range) {
        return text(range.map(TimeRange::expected));
    }

    public static @Nullable String latest(Optional<TimeRange> range) {
        return text(range.flatMap(TimeRange::latest));
    }

    private static @Nullable String text(Optional<Instant> time) {
        return time.map(IsoTime::format).orElse(null);
    }
}

package dev.berth.server.api;

import dev.berth.core.forecast.Forecast;
import dev.berth.core.forecast.TimeRange;
import dev.berth.core.forecast.UnknownStart;
import dev.berth.core.task.Task;
import dev.berth.core.task.TaskState;
import dev.berth.json.IsoTime;
import dev.berth.server.api.reason.WaitReasonJson;
import dev.berth.wire.ExpectedTimes;
import dev.berth.wire.Reason;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Optional;

/** Converts expected starts and ends to JSON. */
public final class ExpectedTimesJson {

    private ExpectedTimesJson() {}

    /** The task may have started or ended since the forecast. */
    public static ExpectedTimes of(Task task, Forecast forecast) {
        return switch (task.state()) {
            case TaskState.Queued _, TaskState.Handed _ -> queued(task, forecast);
            case TaskState.Running _ -> json(Optional.empty(), null, forecast.end(task.id()));
            case TaskState.Pending _,
                    TaskState.Completed _,
                    TaskState.Failed _,
                    TaskState.Cancelled _ ->
                    ExpectedTimes.NONE;
        };
    }

    private static ExpectedTimes queued(Task task, Forecast forecast) {
        var start = forecast.start(task.id());
        var reason = start.isPresent() ? null : reason(forecast.unknown().of(task));
        return json(start, reason, forecast.end(task.id()));
    }

    private static ExpectedTimes json(
            Optional<TimeRange> start, @Nullable Reason reason, Optional<TimeRange> end) {
        return new ExpectedTimes(
                expected(start), latest(start), reason, expected(end), latest(end));
    }

    /** Why the start of a waiting task is not known. */
    public static Reason reason(UnknownStart unknown) {
        var params = WaitReasonJson.params();
        unknown.because().ifPresent(task -> params.put("task", task.toString()));
        unknown.pause()
                .ifPresent(
                        pause -> {
                            params.put("variant", WaitReasonJson.name(pause));
                            params.put("cause", pause.detail());
                        });
        return WaitReasonJson.reason("eta." + unknown.cause().code(), params);
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

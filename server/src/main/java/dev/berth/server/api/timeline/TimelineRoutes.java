package dev.berth.server.api.timeline;

import dev.berth.core.Rejected;
import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.TaskQueries;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TimeWindow;
import dev.berth.wire.Timeline;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** GPUs over time: past runs, running tasks, and what the forecast expects. */
public final class TimelineRoutes {

    private static final Duration USUAL = Duration.ofHours(24);
    private static final int MAX_DAYS = 31;

    private static final RouteDoc DOC =
            RouteDoc.of(
                            "What ran on the GPUs and what will probably run, from 24 h ago to in"
                                    + " 24 h if unset, at most 31 days and 5,000 runs; tasks"
                                    + " without a GPU are left out")
                    .withQuery(TimeWindow.FROM, TimeWindow.END)
                    .withResponse(200, Timeline.class)
                    .withErrors(422);

    private final EngineClient engine;
    private final TaskQueries queries;

    public TimelineRoutes(EngineClient engine, TaskQueries queries) {
        this.engine = engine;
        this.queries = queries;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PathPattern.of("/api/timeline"), AccessLevel.SERVED, DOC, this::show));
    }

    private RouteResponse show(RouteRequest call) throws RejectedException, StoreFailure {
        var now = engine.now();
        var window = window(call, now);
        var forecast = engine.forecasts().recent();
        var timeline = new TimelineJson(engine.state(), window);
        timeline.addRunning(forecast);
        timeline.addExpected(forecast);
        if (!engine.state().durable().reservations().isEmpty()) {
            timeline.addReservations(engine.planner().reservations(engine.snapshot()));
        }
        timeline.addPast(queries.gpuRuns(window.from(), window.to(), timeline.room() + 1));
        for (var task : timeline.retried()) {
            timeline.addAttempts(task, queries.attempts(task.id()));
        }
        return RouteResponse.ok(timeline.json(now));
    }

    private static TimeWindow window(RouteRequest call, Instant now) throws RejectedException {
        var asked = call.query(TimeWindow.FROM);
        var from = asked.orElse(now.minus(USUAL));
        var to =
                call.query(TimeWindow.END)
                        .orElse(asked.isEmpty() ? now.plus(USUAL) : end(from, now));
        if (!from.isBefore(to)) {
            throw RejectedException.invalid("window.reversed", asked.isPresent() ? "from" : "to");
        }
        if (Duration.between(from, to).compareTo(Duration.ofDays(MAX_DAYS)) > 0) {
            throw new RejectedException(
                    Rejected.invalid("window.too_long", asked.isPresent() ? "from" : "to")
                            .with("days", MAX_DAYS));
        }
        return new TimeWindow(from, to);
    }

    /** As far ahead as usual, but not longer than allowed. */
    private static Instant end(Instant from, Instant now) {
        var usual = now.plus(USUAL);
        var most = from.plus(Duration.ofDays(MAX_DAYS));
        return usual.isBefore(most) ? usual : most;
    }
}

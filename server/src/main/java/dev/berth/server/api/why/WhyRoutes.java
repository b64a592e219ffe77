package dev.berth.server.api.why;

import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.port.StoreFailure;
import dev.berth.server.api.EngineClient;
import dev.berth.server.api.TaskLookup;
import dev.berth.server.api.task.TaskRequest;
import dev.berth.wire.TaskCreate;
import dev.berth.wire.TaskPreview;
import dev.berth.wire.Why;

import java.time.Duration;
import java.util.List;

/** Explains why a task waits and what would help, and what a new task could expect. */
public final class WhyRoutes {

    private static final RouteDoc WHY_DOC =
            RouteDoc.of(
                            "Why a task waits: all reasons, the GPUs by reason, the tasks ahead of"
                                    + " it, and changes that let it start earlier")
                    .withResponse(200, Why.class)
                    .withErrors(404, 422, 503);

    private static final RouteDoc PREVIEW_DOC =
            RouteDoc.of(
                            "What a task could expect if it were submitted now; nothing is stored."
                                    + " Invalid requests are refused as by a submit")
                    .withBody(TaskCreate.class)
                    .withResponse(200, TaskPreview.class)
                    .withErrors(400, 403, 413, 422, 429, 503, 507);

    private final EngineClient engine;
    private final TaskLookup lookup;
    private final TaskRequest form;
    private final Explanations explanations;
    private final Previews previews;

    public WhyRoutes(EngineClient engine, TaskLookup lookup, TaskRequest form) {
        var limit = PlanningLimit.usual();
        this.engine = engine;
        this.lookup = lookup;
        this.form = form;
        this.explanations =
                new Explanations(engine, limit, Duration.ofSeconds(form.limits().maxSeconds()));
        this.previews = new Previews(engine, limit);
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/tasks/{id}/why", TaskLookup.ID),
                        AccessLevel.SERVED,
                        WHY_DOC,
                        this::why),
                Route.post(
                        PathPattern.of("/api/tasks/preview"),
                        AccessLevel.USER,
                        PREVIEW_DOC,
                        this::preview));
    }

    private RouteResponse why(RouteRequest call) throws RejectedException, StoreFailure {
        var task = lookup.readable(TaskLookup.id(call), call.caller());
        var words = new WhyJson(engine.state(), engine.now());
        return RouteResponse.ok(
                task.state().isWaiting()
                        ? words.waiting(task, explanations.of(task))
                        : words.notWaiting(task));
    }

    private RouteResponse preview(RouteRequest call) throws RejectedException {
        var entry = form.read(call.body().fields(), call.caller());
        return RouteResponse.ok(previews.of(entry));
    }
}

package dev.berth.server.api.placement;

import dev.berth.core.plan.Verdict;
import dev.berth.core.task.TaskState;
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
import dev.berth.wire.Placement;

import java.util.List;

/** Shows on which GPUs a task would be placed now, and why not on others. */
public final class PlacementRoutes {

    private static final RouteDoc DOC =
            RouteDoc.of(
                            "Each GPU with its scores and refusals for this task; chosen are the"
                                    + " GPUs that it would get if it were first now")
                    .withResponse(200, Placement.class)
                    .withErrors(404, 422);
    private final EngineClient engine;
    private final TaskLookup lookup;

    public PlacementRoutes(EngineClient engine, TaskLookup lookup) {
        this.engine = engine;
        this.lookup = lookup;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/tasks/{id}/placement", TaskLookup.ID),
                        AccessLevel.SERVED,
                        DOC,
                        this::show));
    }

    private RouteResponse show(RouteRequest call) throws RejectedException, StoreFailure {
        var id = TaskLookup.id(call);
        var task = lookup.readable(id, call.caller());
        var planner = engine.planner();
        var snapshot = engine.snapshot();
        var words = new PlacementJson(planner, snapshot, task);
        return RouteResponse.ok(
                switch (task.state()) {
                    case TaskState.Queued _, TaskState.Handed _ ->
                            switch (planner.explain(snapshot, task)) {
                                case Verdict.Start start -> words.starting(start);
                                case Verdict.Wait wait -> words.waiting(wait);
                            };
                    case TaskState.Pending _ -> words.waiting(List.of());
                    case TaskState.Running _,
                            TaskState.Completed _,
                            TaskState.Failed _,
                            TaskState.Cancelled _ ->
                            words.notWaiting();
                });
    }
}

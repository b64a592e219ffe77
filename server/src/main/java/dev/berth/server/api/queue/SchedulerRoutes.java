package dev.berth.server.api.queue;

import dev.berth.engine.EngineCommand;
import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.json.IsoTime;
import dev.berth.port.SchedulerState.LastSwitch;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.Scheduler;

import java.util.List;
import java.util.Set;

/** Starts and stops the scheduler. */
public final class SchedulerRoutes {

    private static final RouteDoc SHOW_DOC =
            RouteDoc.of("Whether the scheduler starts tasks, and who last changed that")
                    .withResponse(200, Scheduler.class);

    private static final RouteDoc START_DOC =
            RouteDoc.of("Starts the scheduler; changed is false if it was running already")
                    .withResponse(200, Scheduler.class)
                    .withErrors(400, 422, 503, 507);

    private static final RouteDoc STOP_DOC =
            RouteDoc.of(
                            "Stops the scheduler: no task starts, also after a restart; running"
                                    + " tasks continue. changed is false if it was stopped already")
                    .withResponse(200, Scheduler.class)
                    .withErrors(400, 422, 503, 507);
    private final EngineClient engine;

    public SchedulerRoutes(EngineClient engine) {
        this.engine = engine;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/scheduler"), AccessLevel.SERVED, SHOW_DOC, this::show),
                Route.post(
                        PathPattern.of("/api/scheduler/start"),
                        AccessLevel.ADMIN,
                        START_DOC,
                        call -> set(call, true)),
                Route.post(
                        PathPattern.of("/api/scheduler/stop"),
                        AccessLevel.ADMIN,
                        STOP_DOC,
                        call -> set(call, false)));
    }

    private RouteResponse show(RouteRequest call) {
        return RouteResponse.ok(json(engine.state().durable().scheduler(), false));
    }

    private RouteResponse set(RouteRequest call, boolean isRunning) throws RejectedException {
        call.body().fields().requireKnown(Set.of(), Set.of());
        var result =
                engine.requestScheduler(
                        new EngineCommand.SwitchScheduler(
                                engine.now(), call.caller().owner(), isRunning),
                        call.caller().via());
        return RouteResponse.ok(json(result.scheduler(), result.hasChanged()));
    }

    private static Scheduler json(dev.berth.port.SchedulerState scheduler, boolean changed) {
        return new Scheduler(
                scheduler.isRunning(),
                changed,
                scheduler.lastSwitch().map(LastSwitch::at).map(IsoTime::format).orElse(null),
                scheduler.lastSwitch().map(change -> change.by().name()).orElse(null));
    }
}

package dev.berth.server.api;

import dev.berth.engine.Command;
import dev.berth.engine.port.Scheduler.Turn;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.Scheduler;

import java.util.List;
import java.util.Set;

/** Whether Berth starts tasks. */
final class SchedulerRoutes {

    private static final Doc SHOW_DOC =
            Doc.of("Whether Berth starts tasks, and who last changed that")
                    .giving(200, Scheduler.class);

    private static final Doc START_DOC =
            Doc.of("Lets Berth start tasks again; changed says whether it did not before")
                    .giving(200, Scheduler.class)
                    .refusing(400, 422, 503, 507);

    private static final Doc STOP_DOC =
            Doc.of(
                            "No more tasks are started, also after a restart; what runs goes on."
                                    + " changed says whether it was so before")
                    .giving(200, Scheduler.class)
                    .refusing(400, 422, 503, 507);

    private final Desk desk;

    SchedulerRoutes(Desk desk) {
        this.desk = desk;
    }

    List<Route> routes() {
        return List.of(
                Route.get(PathPattern.of("/api/scheduler"), Access.SERVED, SHOW_DOC, this::show),
                Route.post(
                        PathPattern.of("/api/scheduler/start"),
                        Access.ADMIN,
                        START_DOC,
                        call -> turn(call, true)),
                Route.post(
                        PathPattern.of("/api/scheduler/stop"),
                        Access.ADMIN,
                        STOP_DOC,
                        call -> turn(call, false)));
    }

    private Answer show(Call call) {
        return Answer.ok(words(desk.engine().state().books().scheduler(), false));
    }

    private Answer turn(Call call, boolean isRunning) throws Refused {
        call.body().fields().expect(Set.of(), Set.of());
        var turned =
                desk.schedule(
                        new Command.Schedule(
                                desk.engine().now(), call.caller().owner(), isRunning));
        return Answer.ok(words(turned.scheduler(), turned.changed()));
    }

    private static Scheduler words(dev.berth.engine.port.Scheduler scheduler, boolean changed) {
        return new Scheduler(
                scheduler.isRunning(),
                changed,
                scheduler.last().map(Turn::at).map(Times::text).orElse(null),
                scheduler.last().map(turn -> turn.by().name()).orElse(null));
    }
}

package dev.berth.server.api;

import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Route;
import dev.berth.wire.Health;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether all is well, for everybody who asks. What is not is told to those who are served: it may
 * name paths and what a driver said.
 */
final class HealthRoutes {

    private final Desk desk;

    HealthRoutes(Desk desk) {
        this.desk = desk;
    }

    List<Route> routes() {
        var doc =
                Doc.of(
                                "Whether all is well; it answers from the moment recovery is over."
                                        + " Those who are served are also told what is not")
                        .giving(200, Health.class)
                        .giving(503, Health.class);
        return List.of(Route.get(PathPattern.of("/api/health"), Access.ANYONE, doc, this::health));
    }

    private Answer health(Call call) {
        var problems = new ArrayList<>(desk.engine().engine().problems());
        longWait().ifPresent(problems::add);
        if (problems.isEmpty()) {
            return Answer.ok(Health.OK);
        }
        var told = call.known().isPresent() ? List.copyOf(problems) : null;
        return Answer.of(503, new Health("failing", told));
    }

    private Optional<String> longWait() {
        var now = desk.engine().now();
        var waits = desk.engine().engine().waits(now);
        return waits.late() == 0
                ? Optional.empty()
                : waits.longest()
                        .map(
                                longest ->
                                        (waits.late() == 1
                                                        ? "1 task has"
                                                        : waits.late() + " tasks have")
                                                + " waited longer than "
                                                + waits.limit().toSeconds()
                                                + " s (queue_wait_warn_seconds), task "
                                                + longest.id()
                                                + " for "
                                                + Duration.between(longest.waitingSince(), now)
                                                        .toSeconds()
                                                + " s: berth why "
                                                + longest.id());
    }
}

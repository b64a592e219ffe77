package dev.berth.server.api;

import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Route;
import dev.berth.wire.Health;

import java.util.List;

/** Whether all is well, for everybody who asks. */
final class HealthRoutes {

    private final Desk desk;

    HealthRoutes(Desk desk) {
        this.desk = desk;
    }

    List<Route> routes() {
        var doc =
                Doc.of("Whether all is well; it answers from the moment recovery is over")
                        .giving(200, Health.class)
                        .giving(503, Health.class);
        return List.of(Route.get(PathPattern.of("/api/health"), Access.ANYONE, doc, _ -> health()));
    }

    private Answer health() {
        var problems = desk.engine().engine().problems();
        return problems.isEmpty()
                ? Answer.ok(Health.OK)
                : Answer.of(503, new Health("failing", List.copyOf(problems)));
    }
}

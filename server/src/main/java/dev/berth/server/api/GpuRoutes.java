package dev.berth.server.api;

import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Route;
import dev.berth.wire.GpuInfo;

import java.util.List;

/** The cards and who has them. */
final class GpuRoutes {

    private static final Param<Boolean> PROCESSES =
            Param.flag("processes", "true: also the processes on each, whoever's they are");

    private final Gpus gpus;

    GpuRoutes(Gpus gpus) {
        this.gpus = gpus;
    }

    List<Route> routes() {
        var doc =
                Doc.of("All GPUs ever seen here, with their load and the tasks that hold them")
                        .asking(PROCESSES)
                        .givingMany(200, GpuInfo.class)
                        .refusing(422);
        return List.of(
                Route.get(
                        PathPattern.of("/api/gpus"),
                        Access.SERVED,
                        doc,
                        call -> Answer.ok(gpus.all(call.query(PROCESSES).orElse(false)))));
    }
}

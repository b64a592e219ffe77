package dev.berth.server.api;

import dev.berth.engine.port.StoreFailure;
import dev.berth.engine.port.Strays;
import dev.berth.engine.port.Strays.Stray;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.server.lane.Remains;
import dev.berth.server.lane.Remains.Orphan;
import dev.berth.wire.CleanupList;
import dev.berth.wire.LeftProcess;
import dev.berth.wire.LeftRecord;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/** What abnormal ends have left behind: listed, and removed. */
final class CleanupRoutes {

    private static final Logger log = LoggerFactory.getLogger(CleanupRoutes.class);

    private static final PathPattern PATH = PathPattern.of("/api/cleanup");

    private static final Doc LIST_DOC =
            Doc.of(
                            "What abnormal ends have left: records in uni_id.json that say that a"
                                    + " try runs where nothing of it does, and processes of"
                                    + " attempts that are over")
                    .giving(200, CleanupList.class)
                    .refusing(503);

    private static final Doc REMOVE_DOC =
            Doc.of("Removes those records and ends those processes; the answer lists them")
                    .giving(200, CleanupList.class)
                    .refusing(400, 422, 503);

    private final Desk desk;

    CleanupRoutes(Desk desk) {
        this.desk = desk;
    }

    List<Route> routes() {
        return List.of(
                Route.get(PATH, Access.ADMIN, LIST_DOC, _ -> words(desk.remains()::list)),
                Route.post(PATH, Access.ADMIN, REMOVE_DOC, this::remove));
    }

    private Answer remove(Call call) throws Refused, StoreFailure {
        call.body().fields().expect(Set.of(), Set.of());
        return words(desk.remains()::remove);
    }

    private interface Work {
        Remains.Left left() throws Strays.Unreadable, StoreFailure, IOException;
    }

    private static Answer words(Work work) throws StoreFailure {
        try {
            var left = work.left();
            return Answer.ok(
                    new CleanupList(
                            left.records().stream().map(CleanupRoutes::record).toList(),
                            left.processes().stream().map(CleanupRoutes::process).toList()));
        } catch (Strays.Unreadable | IOException failure) {
            log.warn("cleaning up failed: {}", failure.toString());
            return Answer.problem(
                            503,
                            "cleanup.unable",
                            "Berth cannot look, or cannot clean up all of it: "
                                    + failure.getMessage())
                    .with("Retry-After", "1");
        }
    }

    private static LeftRecord record(Orphan orphan) {
        return new LeftRecord(
                orphan.uniId(),
                orphan.pid().isPresent() ? orphan.pid().getAsLong() : null,
                orphan.state());
    }

    private static LeftProcess process(Stray stray) {
        return new LeftProcess(
                stray.pid(),
                stray.program(),
                stray.attempt().task().value(),
                stray.attempt().number(),
                Times.text(stray.since()));
    }
}

package dev.berth.server.api.run;

import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.json.IsoTime;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.LeftoverProcesses;
import dev.berth.port.read.LeftoverProcesses.LeftoverProcess;
import dev.berth.runs.LeftoverCleanup;
import dev.berth.runs.LeftoverCleanup.OrphanRecord;
import dev.berth.wire.CleanupList;
import dev.berth.wire.LeftProcess;
import dev.berth.wire.LeftRecord;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lists and removes what abnormal ends left behind: leftover processes and stale records. */
public final class CleanupRoutes {

    private static final Logger log = LoggerFactory.getLogger(CleanupRoutes.class);

    private static final PathPattern PATH = PathPattern.of("/api/cleanup");

    private static final RouteDoc LIST_DOC =
            RouteDoc.of(
                            "Leftovers of abnormal ends: records in uni_id.json of tries that no"
                                    + " longer run, and processes of ended attempts")
                    .withResponse(200, CleanupList.class)
                    .withErrors(503);

    private static final RouteDoc REMOVE_DOC =
            RouteDoc.of("Removes these records and ends these processes; the response lists them")
                    .withResponse(200, CleanupList.class)
                    .withErrors(400, 422, 503);
    private final LeftoverCleanup remains;

    public CleanupRoutes(LeftoverCleanup remains) {
        this.remains = remains;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(PATH, AccessLevel.ADMIN, LIST_DOC, _ -> respond(remains::list)),
                Route.post(PATH, AccessLevel.ADMIN, REMOVE_DOC, this::remove));
    }

    private RouteResponse remove(RouteRequest call) throws RejectedException, StoreFailure {
        call.body().fields().requireKnown(Set.of(), Set.of());
        return respond(remains::remove);
    }

    private interface Cleanup {
        LeftoverCleanup.LeftoverList left()
                throws LeftoverProcesses.ProcessTableUnreadable, StoreFailure, IOException;
    }

    private static RouteResponse respond(Cleanup cleanup) throws StoreFailure {
        try {
            var left = cleanup.left();
            return RouteResponse.ok(
                    new CleanupList(
                            left.records().stream().map(CleanupRoutes::record).toList(),
                            left.processes().stream().map(CleanupRoutes::process).toList()));
        } catch (LeftoverProcesses.ProcessTableUnreadable | IOException failure) {
            log.warn("cleaning up failed: {}", failure.toString());
            return RouteResponse.problem(
                            503,
                            "cleanup.unable",
                            Map.of("why", String.valueOf(failure.getMessage())))
                    .with("Retry-After", "1");
        }
    }

    private static LeftRecord record(OrphanRecord orphan) {
        return new LeftRecord(
                orphan.uniId(),
                orphan.pid().isPresent() ? orphan.pid().getAsLong() : null,
                orphan.state());
    }

    private static LeftProcess process(LeftoverProcess stray) {
        return new LeftProcess(
                stray.pid(),
                stray.program(),
                stray.attempt().task().value(),
                stray.attempt().number(),
                IsoTime.format(stray.since()));
    }
}

package dev.berth.server.api.server;

import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.json.IsoTime;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.DatabaseMaintenance;
import dev.berth.wire.BackupInfo;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes a backup of the database on request. */
public final class BackupRoutes {

    private static final Logger log = LoggerFactory.getLogger(BackupRoutes.class);

    private static final RouteDoc DOC =
            RouteDoc.of("Makes a verified backup of the database now; answers when it is complete")
                    .withResponse(201, BackupInfo.class)
                    .withErrors(400, 422, 500, 503);

    private final DatabaseMaintenance maintenance;

    public BackupRoutes(DatabaseMaintenance maintenance) {
        this.maintenance = maintenance;
    }

    public List<Route> routes() {
        return List.of(
                Route.post(PathPattern.of("/api/backup"), AccessLevel.ADMIN, DOC, this::backUp));
    }

    private RouteResponse backUp(RouteRequest call) throws RejectedException, StoreFailure {
        call.body().fields().requireKnown(Set.of(), Set.of());
        try {
            var made = maintenance.backUp();
            return RouteResponse.of(
                    201,
                    new BackupInfo(
                            made.file().toString(), IsoTime.format(made.at()), made.bytes()));
        } catch (StoreFailure failure) {
            if (failure.kind() == StoreFailure.Kind.DAMAGED) {
                throw failure;
            }
            log.warn("backup.failed: {}", failure.getMessage());
            return RouteResponse.problem(
                    503, "backup.failed", Map.of("why", String.valueOf(failure.getMessage())));
        }
    }
}

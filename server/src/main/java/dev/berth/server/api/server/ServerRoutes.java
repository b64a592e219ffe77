package dev.berth.server.api.server;

import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteResponse;
import dev.berth.json.IsoTime;
import dev.berth.port.StoreFailure;
import dev.berth.port.read.DatabaseMaintenance;
import dev.berth.wire.ServerInfo;

import java.util.List;
import java.util.function.Supplier;

/** Shows the server's version, home and address. */
public final class ServerRoutes {
    private final ServerDetails details;
    private final DatabaseMaintenance maintenance;
    private final Supplier<String> url;
    private final HomeContents contents;

    public ServerRoutes(
            ServerDetails details,
            HomeContents contents,
            DatabaseMaintenance maintenance,
            Supplier<String> url) {
        this.details = details;
        this.maintenance = maintenance;
        this.url = url;
        this.contents = contents;
    }

    public List<Route> routes() {
        var doc =
                RouteDoc.of("Version, home and start time of the server")
                        .withResponse(200, ServerInfo.class);
        return List.of(
                Route.get(
                        PathPattern.of("/api/server"),
                        AccessLevel.SERVED,
                        doc,
                        _ -> RouteResponse.ok(info())));
    }

    private ServerInfo info() throws StoreFailure {
        return new ServerInfo(
                details.version(),
                ProcessHandle.current().pid(),
                details.home().toString(),
                url.get(),
                IsoTime.format(details.startedAt()),
                details.gpus(),
                details.tracking().isEmpty() ? null : details.tracking(),
                maintenance.lastBackup().map(last -> IsoTime.format(last.at())).orElse(null),
                contents.tasks(),
                contents.ended(),
                contents.databaseBytes(),
                details.mode(),
                details.shim());
    }
}

package dev.berth.server.api.config;

import dev.berth.config.LiveConfiguration;
import dev.berth.http.AccessLevel;
import dev.berth.http.PathPattern;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteResponse;
import dev.berth.wire.ConfigEntry;

import java.util.List;

/** Shows the configuration and where each value comes from. */
public final class ConfigRoutes {

    private final LiveConfiguration book;

    public ConfigRoutes(LiveConfiguration book) {
        this.book = book;
    }

    public List<Route> routes() {
        var doc =
                RouteDoc.of("Every configuration key with its value and the source of the value")
                        .withListResponse(200, ConfigEntry.class);
        return List.of(
                Route.get(
                        PathPattern.of("/api/config"),
                        AccessLevel.SERVED,
                        doc,
                        _ -> RouteResponse.ok(book.current().entries())));
    }
}

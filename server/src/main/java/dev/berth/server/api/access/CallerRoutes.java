package dev.berth.server.api.access;

import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.PathPattern;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteResponse;
import dev.berth.wire.Me;

import java.util.List;

/** Shows the caller's identity. */
public final class CallerRoutes {

    private CallerRoutes() {}

    public static List<Route> routes() {
        var doc = RouteDoc.of("The authenticated caller").withResponse(200, Me.class);
        return List.of(
                Route.get(
                        PathPattern.of("/api/me"),
                        AccessLevel.SERVED,
                        doc,
                        call -> RouteResponse.ok(me(call.caller()))));
    }

    static Me me(Caller caller) {
        return new Me(
                caller.owner().name(),
                caller.owner().principal(),
                caller.isAdmin(),
                caller.role().label(),
                caller.via().label());
    }
}

package dev.berth.server.api;

import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Caller;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Route;
import dev.berth.wire.Me;

import java.util.List;

/** Whom the server takes its caller for. */
final class MeRoutes {

    private MeRoutes() {}

    static List<Route> routes() {
        var doc = Doc.of("Whom the server takes you for").giving(200, Me.class);
        return List.of(
                Route.get(
                        PathPattern.of("/api/me"),
                        Access.SERVED,
                        doc,
                        call -> Answer.ok(me(call.caller()))));
    }

    static Me me(Caller caller) {
        return new Me(
                caller.owner().name(),
                caller.owner().principal(),
                caller.isAdmin(),
                caller.via().word());
    }
}

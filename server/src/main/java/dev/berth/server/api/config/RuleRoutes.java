package dev.berth.server.api.config;

import dev.berth.config.ConfigChangeRejected;
import dev.berth.config.LiveConfiguration;
import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.server.api.people.KnownNames;
import dev.berth.wire.RuleChange;
import dev.berth.wire.Rules;

import java.util.List;

/** The scheduling rules, which can be changed while the server runs. */
public final class RuleRoutes {

    private static final Param<Boolean> PERSIST =
            Param.flag(
                    "persist",
                    "false: until the server ends, and no file is changed; true if unset");

    private static final RouteDoc SHOW_DOC =
            RouteDoc.of(
                            "The scheduling rules with their allowed values and the source of each"
                                    + " value")
                    .withResponse(200, Rules.class);

    private static final RouteDoc CHANGE_DOC =
            RouteDoc.of(
                            "Changes rules: effective at the next scheduling pass, and written to"
                                + " the file that contains them. Names may be dotted; null resets"
                                + " to the default")
                    .withQuery(PERSIST)
                    .withBody(RuleChange.class)
                    .withResponse(200, Rules.class)
                    .withErrors(400, 409, 422, 503);

    private final LiveConfiguration book;
    private final KnownNames names;

    public RuleRoutes(LiveConfiguration book, KnownNames names) {
        this.book = book;
        this.names = names;
    }

    public List<Route> routes() {
        var path = PathPattern.of("/api/rule");
        return List.of(
                Route.get(path, AccessLevel.SERVED, SHOW_DOC, _ -> RouteResponse.ok(book.rules())),
                Route.put(path, AccessLevel.ADMIN, CHANGE_DOC, this::change));
    }

    private RouteResponse change(RouteRequest call) throws RejectedException {
        boolean isKept = call.query(PERSIST).orElse(true);
        try {
            var wanted = call.body().fields().toMap();
            names.requireIn(book.rulesSetBy(wanted));
            book.changeRules(call.caller().actor(), wanted, isKept);
        } catch (ConfigChangeRejected rejected) {
            throw new RejectedException(rejected.why());
        }
        return RouteResponse.ok(book.rules());
    }
}

package dev.berth.server.api;

import dev.berth.server.config.RuleBook;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Doc;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Route;
import dev.berth.wire.ConfigEntry;

import java.util.List;

/** What is set, and where. */
final class ConfigRoutes {

    private final RuleBook book;

    ConfigRoutes(RuleBook book) {
        this.book = book;
    }

    List<Route> routes() {
        var doc =
                Doc.of("Every key of the configuration, its value and where that came from")
                        .givingMany(200, ConfigEntry.class);
        return List.of(
                Route.get(
                        PathPattern.of("/api/config"),
                        Access.SERVED,
                        doc,
                        _ -> Answer.ok(book.now().entries())));
    }
}

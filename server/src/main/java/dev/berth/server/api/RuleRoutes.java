package dev.berth.server.api;

import dev.berth.server.config.RuleBook;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.wire.RuleChange;
import dev.berth.wire.Rules;

import java.util.List;

/** The rules of scheduling, which can be changed while the server runs. */
final class RuleRoutes {

    private static final Param<Boolean> PERSIST =
            Param.flag(
                    "persist",
                    "false: until the server ends, and no file is changed; true if unset");

    private static final Doc SHOW_DOC =
            Doc.of("The rules of scheduling, what each may be and where its value came from")
                    .giving(200, Rules.class);

    private static final Doc CHANGE_DOC =
            Doc.of(
                            "Changes rules: in force at the next pass, and written into the file in"
                                    + " which they stand. Names may be dotted; null is the usual"
                                    + " value")
                    .asking(PERSIST)
                    .taking(RuleChange.class)
                    .giving(200, Rules.class)
                    .refusing(400, 409, 422, 503);

    private final RuleBook book;

    RuleRoutes(RuleBook book) {
        this.book = book;
    }

    List<Route> routes() {
        var path = PathPattern.of("/api/rule");
        return List.of(
                Route.get(path, Access.SERVED, SHOW_DOC, _ -> Answer.ok(book.rules())),
                Route.put(path, Access.ADMIN, CHANGE_DOC, this::change));
    }

    private Answer change(Call call) throws Refused {
        boolean isKept = call.query(PERSIST).orElse(true);
        book.change(call.body().fields().plain(), isKept);
        return Answer.ok(book.rules());
    }
}

package dev.berth.server.api.people;

import dev.berth.config.ConfigChangeRejected;
import dev.berth.config.LiveConfiguration;
import dev.berth.core.Rejected;
import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.identity.ServedUsers;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.PersonChange;
import dev.berth.wire.PersonInfo;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Shows and changes what users may use. */
public final class PeopleRoutes {

    private static final Param<String> USER = Param.text("user", "the name of the user");

    private static final RouteDoc LIST_DOC =
            RouteDoc.of("All users with tasks, use or limits: shares, use of 24 hours, limits")
                    .withListResponse(200, PersonInfo.class);

    private static final RouteDoc CHANGE_DOC =
            RouteDoc.of(
                            "Changes the weight and the limits of one user: effective at the next"
                                    + " scheduling pass, and written to the file of the rules")
                    .withBody(PersonChange.class)
                    .withListResponse(200, PersonInfo.class)
                    .withErrors(400, 409, 422, 503);

    private final EngineClient engine;
    private final LiveConfiguration book;

    private final ServedUsers users;
    private final KnownNames names;

    public PeopleRoutes(
            EngineClient engine, LiveConfiguration book, ServedUsers users, KnownNames names) {
        this.engine = engine;
        this.book = book;
        this.users = users;
        this.names = names;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        PathPattern.of("/api/people"),
                        AccessLevel.SERVED,
                        LIST_DOC,
                        _ -> RouteResponse.ok(people())),
                Route.patch(
                        PathPattern.of("/api/people/{user}", USER),
                        AccessLevel.ADMIN,
                        CHANGE_DOC,
                        this::change));
    }

    private List<PersonInfo> people() {
        return new PeopleJson(engine, new Roles(users)).all();
    }

    private RouteResponse change(RouteRequest call) throws RejectedException {
        var user = call.path(USER);
        var fields = call.body().fields();
        fields.requireKnown(Set.of("weight", "vip", "limits"), Set.of());
        var wanted = new LinkedHashMap<String, @Nullable Object>();
        for (var field : fields.toMap().entrySet()) {
            if (!field.getKey().equals("limits")) {
                wanted.put("users." + user + "." + field.getKey(), field.getValue());
            } else if (field.getValue() instanceof Map<?, ?> limits) {
                limits.forEach(
                        (key, value) -> wanted.put("limits.users." + user + "." + key, value));
            } else {
                throw new RejectedException(
                        Rejected.invalid("rule.invalid", "limits").variant("group"));
            }
        }
        try {
            if (!book.rulesSetBy(wanted).isEmpty()) {
                names.requireUser(user, "user");
            }
            book.changeRules(call.caller().actor(), wanted, true);
        } catch (ConfigChangeRejected rejected) {
            throw new RejectedException(rejected.why());
        }
        return RouteResponse.ok(people());
    }
}

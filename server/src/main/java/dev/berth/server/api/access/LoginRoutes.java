package dev.berth.server.api.access;

import dev.berth.core.access.Via;
import dev.berth.engine.EngineCommand;
import dev.berth.http.AccessLevel;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.identity.LoginCodes;
import dev.berth.identity.Secret;
import dev.berth.identity.Sessions;
import dev.berth.identity.UserAccess;
import dev.berth.json.IsoTime;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.LoginLink;
import dev.berth.wire.Me;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Logs browsers in and out. */
public final class LoginRoutes {

    static final String LOGIN = "/login/{code}";

    private static final Param<String> CODE =
            new Param<>(
                    "code", "what `berth login` printed", Map.of("type", "string"), text -> text);
    private final EngineClient engine;
    private final Sessions sessions;
    private final SessionStart start;
    private final Supplier<String> url;

    public LoginRoutes(EngineClient engine, Sessions sessions, Supplier<String> url) {
        this.engine = engine;
        this.sessions = sessions;
        this.start = new SessionStart(engine, sessions);
        this.url = url;
    }

    public List<Route> routes() {
        var link =
                RouteDoc.of("Creates a login link for a browser; it works once, within ten minutes")
                        .withResponse(201, LoginLink.class)
                        .withErrors(403, 422);
        var logout =
                RouteDoc.of("Ends the session of this browser")
                        .withResponse(200, Me.class)
                        .withErrors(409, 422, 503, 507);
        return List.of(
                Route.post(
                        PathPattern.of("/api/login/links"), AccessLevel.SERVED, link, this::link),
                Route.post(PathPattern.of("/api/logout"), AccessLevel.SERVED, logout, this::logout),
                Route.page(
                        PathPattern.of(LOGIN, CODE), RouteDoc.of("The link itself"), this::login));
    }

    private RouteResponse link(RouteRequest call) throws RejectedException {
        TokenRoutes.requireNoToken(call.caller());
        call.body().fields().requireKnown(Set.of(), Set.of());
        var now = engine.now();
        var code = sessions.codes().issue(call.caller().owner(), now);
        var link = url.get() + "/login/" + code.text();
        return RouteResponse.of(
                201, new LoginLink(link, IsoTime.format(now.plus(LoginCodes.LIFETIME))));
    }

    /** The code is used up afterwards, so the URL in a browser's history reveals no secret. */
    private RouteResponse login(RouteRequest call) throws RejectedException {
        if (call.isHead()) {
            // A link preview must not use up the code.
            return RouteResponse.empty(200);
        }
        var now = engine.now();
        var owner = sessions.codes().redeem(new Secret(call.path(CODE)), now);
        if (owner.isEmpty()
                || !(sessions.users().of(owner.get()) instanceof UserAccess.Served user)) {
            return expired();
        }
        return start.begin(user, _ -> RouteResponse.empty(303).with("Location", "/ui/"));
    }

    private static RouteResponse expired() {
        var page =
                """
                <!doctype html>
                <html lang="en"><title>Berth</title>
                <h1>This link is good no more</h1>
                <p>A login link works once and for ten minutes. Make a new one: <code>berth login</code>
                </html>
                """;
        var html =
                RouteResponse.bytes(
                        "text/html; charset=utf-8", page.getBytes(StandardCharsets.UTF_8));
        return new RouteResponse(403, html.headers(), html.content())
                .with("Cache-Control", "no-store");
    }

    private RouteResponse logout(RouteRequest call) throws RejectedException {
        call.body().fields().requireKnown(Set.of(), Set.of());
        var caller = call.caller();
        if (caller.via() != Via.SESSION || caller.token().isEmpty()) {
            throw new RejectedException(RouteResponse.problem(409, "session.none"));
        }
        var revoke =
                new EngineCommand.RevokeToken(
                        engine.now(), caller.owner(), caller.token().get(), false);
        var _ = engine.requestToken(revoke, caller.via());
        return RouteResponse.ok(CallerRoutes.me(caller))
                .with("Set-Cookie", sessions.cookie().clearHeader());
    }
}

package dev.berth.server.api;

import dev.berth.core.access.Token;
import dev.berth.engine.Command;
import dev.berth.server.http.Access;
import dev.berth.server.http.Answer;
import dev.berth.server.http.Call;
import dev.berth.server.http.Caller;
import dev.berth.server.http.Doc;
import dev.berth.server.http.Param;
import dev.berth.server.http.PathPattern;
import dev.berth.server.http.Refused;
import dev.berth.server.http.Route;
import dev.berth.server.identity.LoginCodes;
import dev.berth.server.identity.Secret;
import dev.berth.server.identity.SessionCookie;
import dev.berth.wire.LoginLink;
import dev.berth.wire.Me;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How a browser becomes somebody's, and nobody's again. */
final class LoginRoutes {

    static final String LOGIN = "/login/{code}";

    private static final Param<String> CODE =
            new Param<>(
                    "code", "what `berth login` printed", Map.of("type", "string"), text -> text);

    private final Desk desk;
    private final Front front;

    LoginRoutes(Desk desk, Front front) {
        this.desk = desk;
        this.front = front;
    }

    List<Route> routes() {
        var link =
                Doc.of("Makes a link that logs a browser in, once and within ten minutes")
                        .giving(201, LoginLink.class)
                        .refusing(403, 422);
        var logout =
                Doc.of("Ends the session of this browser")
                        .giving(200, Me.class)
                        .refusing(409, 422, 503, 507);
        return List.of(
                Route.post(PathPattern.of("/api/login/links"), Access.SERVED, link, this::link),
                Route.post(PathPattern.of("/api/logout"), Access.SERVED, logout, this::logout),
                Route.page(PathPattern.of(LOGIN, CODE), Doc.of("The link itself"), this::login));
    }

    private Answer link(Call call) throws Refused {
        TokenRoutes.requireMore(call.caller());
        call.body().fields().expect(Set.of(), Set.of());
        var now = desk.engine().now();
        var code = front.keys().codes().issue(call.caller().owner(), now);
        var url = front.publicUrl().get() + "/login/" + code.text();
        return Answer.of(201, new LoginLink(url, Times.text(now.plus(LoginCodes.LIFE))));
    }

    /** The code is worth nothing afterwards, so the address in a browser's history is no secret. */
    private Answer login(Call call) throws Refused {
        if (call.isHead()) {
            // Whoever only looks at the link must not use it up.
            return Answer.empty(200);
        }
        var now = desk.engine().now();
        var owner = front.keys().codes().redeem(new Secret(call.path(CODE)), now);
        if (owner.isEmpty()) {
            return stale();
        }
        var secret = Secret.plain();
        var grant =
                new Token.Grant(
                        Token.Kind.SESSION,
                        "browser",
                        secret.hash(),
                        Optional.of(now.plus(SessionCookie.LIFE)));
        var session = desk.keep(new Command.CreateToken(now, owner.get(), grant));
        var caller = new Caller(owner.get(), false, Caller.Via.SESSION, Optional.of(session.id()));
        return Answer.empty(303)
                .with("Location", "/ui/")
                .with("Set-Cookie", front.keys().cookie().setting(secret))
                .to(caller);
    }

    private static Answer stale() {
        var page =
                """
                <!doctype html>
                <html lang="en"><title>Berth</title>
                <h1>This link is good no more</h1>
                <p>A login link works once and for ten minutes. Make a new one: <code>berth login</code>
                </html>
                """;
        var said = Answer.bytes("text/html; charset=utf-8", page.getBytes(StandardCharsets.UTF_8));
        return new Answer(403, said.headers(), said.content()).with("Cache-Control", "no-store");
    }

    private Answer logout(Call call) throws Refused {
        call.body().fields().expect(Set.of(), Set.of());
        var caller = call.caller();
        if (caller.via() != Caller.Via.SESSION || caller.token().isEmpty()) {
            throw new Refused(
                    Answer.problem(
                            409,
                            "session.none",
                            "You are not here by a login. A token is revoked instead: berth token"
                                    + " revoke ID"));
        }
        var revoke =
                new Command.RevokeToken(
                        desk.engine().now(), caller.owner(), caller.token().get(), false);
        var _ = desk.keep(revoke);
        return Answer.ok(MeRoutes.me(caller)).with("Set-Cookie", front.keys().cookie().clearing());
    }
}

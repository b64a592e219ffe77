package dev.berth.server.api.access;

import dev.berth.core.access.Token;
import dev.berth.core.access.Via;
import dev.berth.engine.EngineCommand;
import dev.berth.http.Caller;
import dev.berth.http.RejectedException;
import dev.berth.http.RouteResponse;
import dev.berth.identity.Secret;
import dev.berth.identity.SessionCookie;
import dev.berth.identity.Sessions;
import dev.berth.identity.UserAccess;
import dev.berth.server.api.EngineClient;

import java.util.Optional;
import java.util.function.Function;

/** Begins the session of a browser. */
record SessionStart(EngineClient engine, Sessions sessions) {

    /**
     * @param answer what the browser gets besides its cookie
     */
    RouteResponse begin(UserAccess.Served user, Function<Caller, RouteResponse> answer)
            throws RejectedException {
        var now = engine.now();
        var secret = Secret.plain();
        var grant =
                new Token.Credential(
                        Token.Kind.SESSION,
                        "browser",
                        secret.hash(),
                        Optional.of(now.plus(SessionCookie.LIFETIME)));
        var session =
                engine.requestToken(
                        new EngineCommand.CreateToken(now, user.owner(), grant), Via.SESSION);
        var caller =
                new Caller(
                        user.owner(),
                        user.uid(),
                        user.role(),
                        Via.SESSION,
                        Optional.of(session.id()));
        return answer.apply(caller)
                .with("Set-Cookie", sessions.cookie().setHeader(secret))
                .authenticatedCaller(caller);
    }
}

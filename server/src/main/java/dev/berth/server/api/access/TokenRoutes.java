package dev.berth.server.api.access;

import dev.berth.core.Rejected;
import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.access.Via;
import dev.berth.engine.EngineCommand;
import dev.berth.http.AccessLevel;
import dev.berth.http.Caller;
import dev.berth.http.Param;
import dev.berth.http.PathPattern;
import dev.berth.http.RejectedException;
import dev.berth.http.Route;
import dev.berth.http.RouteDoc;
import dev.berth.http.RouteRequest;
import dev.berth.http.RouteResponse;
import dev.berth.identity.Credentials;
import dev.berth.identity.Secret;
import dev.berth.json.IsoTime;
import dev.berth.server.api.ControlCharacters;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.TokenCreate;
import dev.berth.wire.TokenCreated;
import dev.berth.wire.TokenInfo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Creates, lists and revokes tokens. */
public final class TokenRoutes {

    private static final Param<Long> ID = Param.number("id", "the token", 1, Long.MAX_VALUE);
    private static final PathPattern ALL = PathPattern.of("/api/tokens");
    private static final PathPattern ONE = PathPattern.of("/api/tokens/{id}", ID);
    private static final int MAX_NAME_LENGTH = 100;
    private static final int MAX_DAYS = 3650;
    private final EngineClient engine;
    private final Credentials credentials;

    public TokenRoutes(EngineClient engine, Credentials credentials) {
        this.engine = engine;
        this.credentials = credentials;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ALL, AccessLevel.SERVED, LIST_DOC, this::list),
                Route.post(ALL, AccessLevel.SERVED, CREATE_DOC, this::create),
                Route.delete(ONE, AccessLevel.SERVED, REVOKE_DOC, this::revoke));
    }

    private static final RouteDoc LIST_DOC =
            RouteDoc.of("Your tokens and the sessions of your browsers; an admin sees all")
                    .withListResponse(200, TokenInfo.class);

    private static final RouteDoc CREATE_DOC =
            RouteDoc.of("Creates a token that acts for you. Only this response shows it")
                    .withBody(TokenCreate.class)
                    .withResponse(201, TokenCreated.class)
                    .withErrors(400, 403, 409, 413, 422, 503, 507);

    private static final RouteDoc REVOKE_DOC =
            RouteDoc.of("Revokes a token or ends a session, effective immediately")
                    .withResponse(200, TokenInfo.class)
                    .withErrors(404, 422, 503, 507);

    private RouteResponse list(RouteRequest call) {
        var caller = call.caller();
        return RouteResponse.ok(
                engine.state()
                        .tokens()
                        .values()
                        .filter(token -> caller.isAdmin() || token.owner().equals(caller.owner()))
                        .map(this::info)
                        .toList());
    }

    /**
     * Anything a token creates would outlive it, so revoking a stolen token would not end the
     * theft.
     */
    static void requireNoToken(Caller caller) throws RejectedException {
        if (caller.via() == Via.TOKEN) {
            throw new RejectedException(Rejected.forbidden("token.not_enough"));
        }
    }

    private RouteResponse create(RouteRequest call) throws RejectedException {
        requireNoToken(call.caller());
        var fields = call.body().fields();
        fields.requireKnown(Set.of("name", "expires_days"), Set.of());
        var name = name(fields.requiredText("name").strip());
        var days = fields.wholeNumber("expires_days", 1, MAX_DAYS);
        var now = engine.now();
        Optional<Instant> expiry =
                days.isPresent()
                        ? Optional.of(now.plus(Duration.ofDays(days.getAsInt())))
                        : Optional.empty();
        var secret = Secret.token();
        var grant = new Token.Credential(Token.Kind.TOKEN, name, secret.hash(), expiry);
        var token =
                engine.requestToken(
                        new EngineCommand.CreateToken(now, call.caller().owner(), grant),
                        call.caller().via());
        return RouteResponse.of(201, created(token, secret))
                .with("Location", "/api/tokens/" + token.id());
    }

    private static String name(String name) throws RejectedException {
        if (name.isEmpty() || name.length() > MAX_NAME_LENGTH || ControlCharacters.areIn(name)) {
            throw new RejectedException(
                    Rejected.invalid("name.invalid", "name").with("max", MAX_NAME_LENGTH));
        }
        return name;
    }

    private RouteResponse revoke(RouteRequest call) throws RejectedException {
        var caller = call.caller();
        var id = new TokenId(call.path(ID));
        call.body().fields().requireKnown(Set.of(), Set.of());
        var revoke =
                new EngineCommand.RevokeToken(engine.now(), caller.owner(), id, caller.isAdmin());
        return RouteResponse.ok(info(engine.requestToken(revoke, caller.via())));
    }

    private static TokenCreated created(Token token, Secret secret) {
        return new TokenCreated(
                token.id().value(),
                token.credential().name(),
                token.owner().name(),
                IsoTime.format(token.createdAt()),
                token.credential().expiresAt().map(IsoTime::format).orElse(null),
                secret.text());
    }

    private TokenInfo info(Token token) {
        return new TokenInfo(
                token.id().value(),
                token.credential().kind().name().toLowerCase(Locale.ROOT),
                token.credential().name(),
                token.owner().name(),
                IsoTime.format(token.createdAt()),
                token.credential().expiresAt().map(IsoTime::format).orElse(null),
                credentials.lastUse(token.id()).map(IsoTime::format).orElse(null),
                token.revokedAt().map(IsoTime::format).orElse(null));
    }
}

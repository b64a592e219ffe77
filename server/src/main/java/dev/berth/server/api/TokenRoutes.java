package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
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
import dev.berth.server.identity.Credentials;
import dev.berth.server.identity.Secret;
import dev.berth.wire.TokenCreate;
import dev.berth.wire.TokenCreated;
import dev.berth.wire.TokenInfo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Tokens: given out, listed, taken back. */
final class TokenRoutes {

    private static final Param<Long> ID = Param.number("id", "the token", 1, Long.MAX_VALUE);
    private static final PathPattern ALL = PathPattern.of("/api/tokens");
    private static final PathPattern ONE = PathPattern.of("/api/tokens/{id}", ID);
    private static final int LONGEST_NAME = 100;
    private static final int MOST_DAYS = 3650;

    private final Desk desk;
    private final Credentials credentials;

    TokenRoutes(Desk desk, Credentials credentials) {
        this.desk = desk;
        this.credentials = credentials;
    }

    List<Route> routes() {
        return List.of(
                Route.get(ALL, Access.SERVED, LIST_DOC, this::list),
                Route.post(ALL, Access.SERVED, CREATE_DOC, this::create),
                Route.delete(ONE, Access.SERVED, REVOKE_DOC, this::revoke));
    }

    private static final Doc LIST_DOC =
            Doc.of("Your tokens and the sessions of your browsers; an admin sees all")
                    .givingMany(200, TokenInfo.class);

    private static final Doc CREATE_DOC =
            Doc.of("Makes a token that acts for you. The answer is the only place that shows it")
                    .taking(TokenCreate.class)
                    .giving(201, TokenCreated.class)
                    .refusing(400, 403, 409, 413, 422, 503, 507);

    private static final Doc REVOKE_DOC =
            Doc.of("Takes a token back, or ends a session: from now on it opens nothing")
                    .giving(200, TokenInfo.class)
                    .refusing(404, 422, 503, 507);

    private Answer list(Call call) {
        var caller = call.caller();
        return Answer.ok(
                desk.engine()
                        .state()
                        .tokens()
                        .values()
                        .filter(token -> caller.isAdmin() || token.owner().equals(caller.owner()))
                        .map(this::info)
                        .toList());
    }

    /** What a token makes would outlive it, so revoking a stolen one would not end the theft. */
    static void requireMore(Caller caller) throws Refused {
        if (caller.via() == Caller.Via.TOKEN) {
            throw new Refused(
                    Rejected.forbidden(
                            "token.not_enough",
                            "A token makes neither tokens nor login links, which would outlive it."
                                    + " Do this on the server's machine with the berth command, or"
                                    + " logged in with a browser."));
        }
    }

    private Answer create(Call call) throws Refused {
        requireMore(call.caller());
        var fields = call.body().fields();
        fields.expect(Set.of("name", "expires_days"), Set.of());
        var name = name(fields.requiredText("name").strip());
        var days = fields.wholeNumber("expires_days", 1, MOST_DAYS);
        var now = desk.engine().now();
        Optional<Instant> expiry =
                days.isPresent()
                        ? Optional.of(now.plus(Duration.ofDays(days.getAsInt())))
                        : Optional.empty();
        var secret = Secret.token();
        var grant = new Token.Grant(Token.Kind.TOKEN, name, secret.hash(), expiry);
        var token = desk.keep(new Command.CreateToken(now, call.caller().owner(), grant));
        return Answer.of(201, created(token, secret)).with("Location", "/api/tokens/" + token.id());
    }

    private static String name(String name) throws Refused {
        if (name.isEmpty() || name.length() > LONGEST_NAME || TaskForm.hasControls(name)) {
            throw Refused.invalid(
                    "name.invalid",
                    "name",
                    "name is 1 to " + LONGEST_NAME + " characters in one line.");
        }
        return name;
    }

    private Answer revoke(Call call) throws Refused {
        var caller = call.caller();
        var id = new TokenId(call.path(ID));
        call.body().fields().expect(Set.of(), Set.of());
        var revoke =
                new Command.RevokeToken(desk.engine().now(), caller.owner(), id, caller.isAdmin());
        return Answer.ok(info(desk.keep(revoke)));
    }

    private static TokenCreated created(Token token, Secret secret) {
        return new TokenCreated(
                token.id().value(),
                token.grant().name(),
                token.owner().name(),
                Times.text(token.createdAt()),
                token.grant().expiresAt().map(Times::text).orElse(null),
                secret.text());
    }

    private TokenInfo info(Token token) {
        return new TokenInfo(
                token.id().value(),
                token.grant().kind().name().toLowerCase(Locale.ROOT),
                token.grant().name(),
                token.owner().name(),
                Times.text(token.createdAt()),
                token.grant().expiresAt().map(Times::text).orElse(null),
                credentials.lastUse(token.id()).map(Times::text).orElse(null),
                token.revokedAt().map(Times::text).orElse(null));
    }
}

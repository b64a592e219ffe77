package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.core.task.Owner;
import dev.berth.port.Change;
import dev.berth.port.event.AccessPayload.LoggedIn;
import dev.berth.port.event.AccessPayload.LoggedOut;
import dev.berth.port.event.AccessPayload.LoginFailed;
import dev.berth.port.event.ServerPayload.TokenCreated;
import dev.berth.port.event.ServerPayload.TokenRef;
import dev.berth.port.event.ServerPayload.TokenRevoked;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Creates and revokes tokens and sessions. */
final class TokenDecider {

    /** Valid tokens of one kind that a user may have. */
    static final int MAX_PER_KIND = 100;

    /** How long a token is listed after it expired or was revoked. */
    static final Duration LISTED_AFTER_END = Duration.ofDays(30);

    private TokenDecider() {}

    static EngineReply decide(Decision decision, EngineCommand.CreateToken create) {
        var grant = create.grant();
        var mine =
                decision.state()
                        .tokens()
                        .values()
                        .filter(token -> token.owner().equals(create.actor()))
                        .filter(token -> token.credential().kind() == grant.kind())
                        .filter(token -> token.isValidAt(create.at()))
                        .toList();
        if (mine.size() >= MAX_PER_KIND) {
            if (grant.kind() == Token.Kind.TOKEN) {
                return new EngineReply.Refused(tooMany(create));
            }
            // Sessions that were never logged out must not prevent a new login.
            revoke(decision, create, mine.getFirst());
        }
        var id = new TokenId(decision.state().lastToken().value() + 1);
        var token = new Token(id, grant, create.actor(), create.at(), Optional.empty());
        decision.save(new Change.TokenSaved(token));
        var ref = TokenRef.of(token);
        decision.addEvent(
                create.actor(),
                token.owner(),
                ref.kind() == Token.Kind.SESSION ? new LoggedIn(ref) : new TokenCreated(ref));
        return new EngineReply.TokenKept(token);
    }

    /** Nobody is known to have done it. */
    static EngineReply decide(Decision decision, EngineCommand.RecordFailedLogin failed) {
        var payload = new LoginFailed(failed.from(), failed.count());
        failed.account()
                .ifPresentOrElse(
                        owner -> decision.addEvent(Owner.UNKNOWN, owner, payload),
                        () -> decision.addEvent(Owner.UNKNOWN, payload));
        return new EngineReply.Done();
    }

    static EngineReply decide(Decision decision, EngineCommand.RevokeToken revoke) {
        var found =
                decision.state()
                        .tokens()
                        .get(revoke.token())
                        .filter(
                                token ->
                                        revoke.mayRevokeOthers()
                                                || token.owner().equals(revoke.actor()));
        if (found.isEmpty()) {
            return new EngineReply.Refused(
                    Rejected.notFound("token.unknown").with("token", revoke.token()));
        }
        var token = found.get();
        return new EngineReply.TokenKept(
                token.revokedAt().isPresent() ? token : revoke(decision, revoke, token));
    }

    private static Token revoke(Decision decision, EngineCommand.Request asked, Token token) {
        var revoked = token.revoked(asked.at());
        decision.save(new Change.TokenSaved(revoked));
        var ref = TokenRef.of(revoked);
        decision.addEvent(
                asked.actor(),
                token.owner(),
                ref.kind() == Token.Kind.SESSION ? new LoggedOut(ref) : new TokenRevoked(ref));
        return revoked;
    }

    /** Removes old invalid tokens. The newest stays, so that no id is used twice. */
    static void purge(Decision decision, Instant at) {
        var last = decision.state().lastToken();
        for (var entry : decision.state().tokens()) {
            var ended = entry.getValue().invalidSince(at);
            if (ended.isPresent()
                    && ended.get().plus(LISTED_AFTER_END).isBefore(at)
                    && !entry.getKey().equals(last)) {
                decision.save(new Change.TokenDropped(entry.getKey()));
            }
        }
    }

    private static Rejected tooMany(EngineCommand.CreateToken create) {
        return Rejected.conflict("token.too_many")
                .with("user", create.actor().name())
                .with("max", MAX_PER_KIND);
    }
}

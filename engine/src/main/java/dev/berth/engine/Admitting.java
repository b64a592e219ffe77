package dev.berth.engine;

import dev.berth.core.Rejected;
import dev.berth.core.access.Token;
import dev.berth.core.access.TokenId;
import dev.berth.engine.port.Change;
import dev.berth.engine.port.Event;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Gives tokens and sessions out and takes them back. */
final class Admitting {

    /** Good ones that one user may have of a kind: more are forgotten ones. */
    static final int MOST_OF_A_KIND = 100;

    /** How long one that is no longer good is still listed. */
    static final Duration LISTED = Duration.ofDays(30);

    private Admitting() {}

    static Reply decide(Draft draft, Command.CreateToken create) {
        var grant = create.grant();
        var mine =
                draft.state()
                        .tokens()
                        .values()
                        .filter(token -> token.owner().equals(create.actor()))
                        .filter(token -> token.grant().kind() == grant.kind())
                        .filter(token -> token.isGoodAt(create.at()))
                        .toList();
        if (mine.size() >= MOST_OF_A_KIND) {
            if (grant.kind() == Token.Kind.TOKEN) {
                return new Reply.Refused(tooMany(create));
            }
            // A browser that forgot to log out must not keep its owner from logging in.
            revoke(draft, create, mine.getFirst());
        }
        var id = new TokenId(draft.state().lastToken().value() + 1);
        var token = new Token(id, grant, create.actor(), create.at(), Optional.empty());
        draft.save(new Change.TokenSaved(token));
        draft.happened(Event.Kind.TOKEN_CREATED, create.actor(), told(token));
        return new Reply.Kept(token);
    }

    static Reply decide(Draft draft, Command.RevokeToken revoke) {
        var found =
                draft.state()
                        .tokens()
                        .get(revoke.token())
                        .filter(
                                token ->
                                        revoke.isAnyones() || token.owner().equals(revoke.actor()));
        if (found.isEmpty()) {
            return new Reply.Refused(
                    Rejected.unknown("token.unknown", "There is no token " + revoke.token() + ".")
                            .with("token", revoke.token()));
        }
        var token = found.get();
        return new Reply.Kept(token.revokedAt().isPresent() ? token : revoke(draft, revoke, token));
    }

    private static Token revoke(Draft draft, Command.Request asked, Token token) {
        var revoked = token.revoked(asked.at());
        draft.save(new Change.TokenSaved(revoked));
        draft.happened(Event.Kind.TOKEN_REVOKED, asked.actor(), told(revoked));
        return revoked;
    }

    /** Forgets those that have long been no good. The newest stays, so that no id comes twice. */
    static void forget(Draft draft, Instant at) {
        var last = draft.state().lastToken();
        for (var entry : draft.state().tokens()) {
            var ended = entry.getValue().endedBy(at);
            if (ended.isPresent()
                    && ended.get().plus(LISTED).isBefore(at)
                    && !entry.getKey().equals(last)) {
                draft.save(new Change.TokenDropped(entry.getKey()));
            }
        }
    }

    private static Rejected tooMany(Command.CreateToken create) {
        return Rejected.conflict(
                        "token.too_many",
                        create.actor().name()
                                + " has "
                                + MOST_OF_A_KIND
                                + " tokens already. Revoke those that nobody uses: berth token ls")
                .with("max", MOST_OF_A_KIND);
    }

    private static Map<String, String> told(Token token) {
        return Map.of(
                "token",
                token.id().toString(),
                "kind",
                token.grant().kind().name().toLowerCase(Locale.ROOT),
                "name",
                token.grant().name(),
                "owner",
                token.owner().name());
    }
}

package dev.berth.core.access;

import dev.berth.core.task.Owner;

import java.time.Instant;
import java.util.Optional;

/**
 * A secret that was given out once.
 *
 * @param grant what was asked for
 * @param owner whom its bearer acts for
 */
public record Token(
        TokenId id, Grant grant, Owner owner, Instant createdAt, Optional<Instant> revokedAt) {

    /** Whom the secret is carried by. */
    public enum Kind {
        /** A program, in a header. */
        TOKEN,
        /** A browser, in a cookie. */
        SESSION
    }

    /**
     * What is given out.
     *
     * @param hash SHA-256 of the secret, in hex; the secret itself is kept nowhere
     */
    public record Grant(Kind kind, String name, String hash, Optional<Instant> expiresAt) {

        /** Even a hash is nobody's business in a log. */
        @Override
        public String toString() {
            return kind + " " + name;
        }
    }

    public boolean isGoodAt(Instant now) {
        return revokedAt.isEmpty() && grant.expiresAt().stream().allMatch(now::isBefore);
    }

    /** When it stopped being good, if it has. */
    public Optional<Instant> endedBy(Instant now) {
        return revokedAt.isPresent()
                ? revokedAt
                : grant.expiresAt().filter(expiry -> !now.isBefore(expiry));
    }

    public Token revoked(Instant at) {
        return new Token(id, grant, owner, createdAt, Optional.of(at));
    }
}

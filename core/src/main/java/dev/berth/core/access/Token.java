package dev.berth.core.access;

import dev.berth.core.task.Owner;

import java.time.Instant;
import java.util.Optional;

/**
 * An issued token or session.
 *
 * @param owner the user that its bearer acts as
 */
public record Token(
        TokenId id,
        Credential credential,
        Owner owner,
        Instant createdAt,
        Optional<Instant> revokedAt) {

    /** How the client sends the secret. */
    public enum Kind {
        /** In a header, by a program. */
        TOKEN,
        /** In a cookie, by a browser. */
        SESSION
    }

    /**
     * The credential itself.
     *
     * @param hash SHA-256 of the secret, in hex; the secret itself is not stored
     */
    public record Credential(Kind kind, String name, String hash, Optional<Instant> expiresAt) {

        /** Leaves the hash out: it must not appear in a log. */
        @Override
        public String toString() {
            return kind + " " + name;
        }
    }

    public boolean isValidAt(Instant now) {
        return revokedAt.isEmpty() && credential.expiresAt().stream().allMatch(now::isBefore);
    }

    /** When the token expired or was revoked; empty if it is still valid. */
    public Optional<Instant> invalidSince(Instant now) {
        return revokedAt.isPresent()
                ? revokedAt
                : credential.expiresAt().filter(expiry -> !now.isBefore(expiry));
    }

    public Token revoked(Instant at) {
        return new Token(id, credential, owner, createdAt, Optional.of(at));
    }
}

package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A new token.
 *
 * @param token the secret itself: shown only once and not stored
 */
public record TokenCreated(
        long id,
        String name,
        String owner,
        String createdAt,
        @Nullable String expiresAt,
        String token) {

    @Override
    public String toString() {
        return "TokenCreated[" + id + "]";
    }
}

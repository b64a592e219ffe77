package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A token or the session of a browser, without its secret.
 *
 * @param kind token or session
 * @param lastUsedAt since the server started
 */
public record TokenInfo(
        long id,
        String kind,
        String name,
        String owner,
        String createdAt,
        @Nullable String expiresAt,
        @Nullable String lastUsedAt,
        @Nullable String revokedAt) {}

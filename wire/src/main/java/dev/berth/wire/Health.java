package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Health of the server.
 *
 * @param problems in English; absent if {@code status} is {@code ok}, and for unauthenticated
 *     callers
 * @param passwordLogin true if users may log in by password; absent otherwise
 */
public record Health(
        String status,
        @OmittedIfNull @Nullable List<String> problems,
        @OmittedIfNull @Nullable Boolean passwordLogin) {}

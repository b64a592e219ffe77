package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * A request for a token.
 *
 * @param expiresDays null: it does not expire
 */
public record TokenCreate(String name, @Nullable Integer expiresDays) {}

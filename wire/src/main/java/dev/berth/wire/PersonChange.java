package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * A change of what a user may use; what is absent stays.
 *
 * @param weight null restores the default
 * @param limits by name; null removes a limit of the user's own
 */
public record PersonChange(
        @Nullable Double weight,
        @Nullable Boolean vip,
        @Nullable Map<String, @Nullable Object> limits) {}

package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration.
 *
 * @param value current value: a text, a number, true or false, a list of those, or null
 * @param defaultValue the value if it is not configured
 * @param source where the value comes from: {@code default}, a file with its line, the environment
 *     or the command line
 * @param inForce false if the key is known but has no effect yet
 */
public record ConfigEntry(
        String key,
        @Nullable Object value,
        @Nullable Object defaultValue,
        String source,
        boolean inForce,
        String about) {}
